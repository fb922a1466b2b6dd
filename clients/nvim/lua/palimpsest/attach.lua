--- What begins in a buffer when the server is connected to it, and ends with it.  Owner of the set of such buffers.
local client = require("palimpsest.client")
local config = require("palimpsest.config")

local M = {}

local attached = {} ---@type table<integer, true>
local greeted = false

---@param buffer integer
function M.is(buffer)
  return attached[buffer] == true
end

local function begin(buffer)
  attached[buffer] = true
  require("palimpsest.keys").set(buffer)
  require("palimpsest.undo").attach(buffer)
  require("palimpsest.completion").attach(buffer)
  require("palimpsest.next_edits").attach(buffer)
  require("palimpsest.notices").attach(buffer)
  require("palimpsest.chat_buffer").attach(buffer)
  if not greeted then
    greeted = true
    if config.get().other_providers then
      require("palimpsest.others").say()
    end
  end
end

local function finish(buffer)
  attached[buffer] = nil
  require("palimpsest.keys").clear(buffer)
  require("palimpsest.undo").detach(buffer)
  require("palimpsest.completion").detach(buffer)
  require("palimpsest.next_edits").detach(buffer)
  require("palimpsest.notices").detach(buffer)
  require("palimpsest.chat_buffer").detach(buffer)
end

--- With other settings.
---@param buffer integer
function M.again(buffer)
  if attached[buffer] then
    finish(buffer)
    begin(buffer)
  end
end

function M.listen()
  local group = vim.api.nvim_create_augroup("palimpsest.attach", { clear = true })
  local function ours(event)
    local one = vim.lsp.get_client_by_id(event.data.client_id)
    return one and one.name == client.name
  end
  vim.api.nvim_create_autocmd("LspAttach", {
    group = group,
    callback = function(event)
      if ours(event) then
        begin(event.buf)
      end
    end,
  })
  vim.api.nvim_create_autocmd("LspDetach", {
    group = group,
    callback = function(event)
      if ours(event) and attached[event.buf] then
        finish(event.buf)
      end
    end,
  })
end

return M
