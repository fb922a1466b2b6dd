--- What begins in a buffer when the server is connected to it, and ends with it.  Owner of the set of such buffers.
local client = require("palimpsest.client")
local events = require("palimpsest.events")

local M = {}

local PARTS = { "keys", "undo", "completion", "next_edits", "notices", "chat_buffer" }

local attached = {} ---@type table<integer, true>

function M.is(buffer)
  return attached[buffer] == true
end

local function each(call, buffer)
  for _, part in ipairs(PARTS) do
    local act = require("palimpsest." .. part)[call]
    if act then
      act(buffer)
    end
  end
end

local function begin(buffer)
  attached[buffer] = true
  each("attach", buffer)
end

local function finish(buffer)
  if attached[buffer] then
    attached[buffer] = nil
    events.close(buffer)
    each("detach", buffer)
  end
end

--- With other settings, or where something was switched.
function M.again()
  for buffer in pairs(vim.deepcopy(attached)) do
    finish(buffer)
    begin(buffer)
  end
end

function M.listen()
  for event, act in pairs({ LspAttach = begin, LspDetach = finish }) do
    vim.api.nvim_create_autocmd(event, {
      group = "palimpsest",
      callback = function(args)
        if client.is_of(args) then
          act(args.buf)
        end
      end,
    })
  end
end

return M
