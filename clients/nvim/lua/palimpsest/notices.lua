--- What the server is told of a person's whereabouts, when they rest: the cursor, yanks, that Neovim has the focus.
local client = require("palimpsest.client")
local config = require("palimpsest.config")
local events = require("palimpsest.events")

local M = {}

local api = vim.api
local timer = assert(vim.uv.new_timer())
local told ---@type string? where the cursor was, last

local function tell_cursor(buffer)
  local one = client.get(buffer)
  local here = api.nvim_get_current_buf() == buffer
  local window = here and api.nvim_get_current_win() or vim.fn.win_findbuf(buffer)[1]
  if not one or not window then
    return
  end
  local position = client.position(one, window)
  local version = vim.lsp.util.buf_versions[buffer]
  local now = ("%d:%d:%d:%d"):format(buffer, version or 0, position.line, position.character)
  if now ~= told then
    told = now
    one:notify(
      "palimpsest/cursor",
      { textDocument = { uri = client.uri(buffer), version = version }, position = position }
    )
    vim.schedule(function()
      api.nvim_exec_autocmds("User", { pattern = "PalimpsestCursor", modeline = false })
    end)
  end
end

local function on_move(buffer)
  local delay = config.get().notices.delay
  if delay > 0 then
    timer:start(
      delay,
      0,
      vim.schedule_wrap(function()
        if api.nvim_buf_is_valid(buffer) then
          tell_cursor(buffer)
        end
      end)
    )
  end
end

local function on_yank(buffer)
  local event = vim.v.event
  if config.get().notices.yank and event.operator == "y" then
    local first, last = vim.fn.line("'["), vim.fn.line("']")
    local lines = { start = first - 1, ["end"] = last }
    client.notify("palimpsest/event", { kind = "yank", uri = client.uri(buffer), lines = lines }, buffer)
  end
end

local function on_focus(buffer)
  if config.get().notices.focus then
    client.notify("palimpsest/event", { kind = "focus" }, buffer)
  end
end

---@param buffer integer
function M.attach(buffer)
  events.listen("notices", buffer, {
    { { "CursorMoved", "BufEnter", "InsertLeave" }, on_move },
    { { "TextYankPost" }, on_yank },
    { { "FocusGained" }, on_focus },
  })
  if api.nvim_get_current_buf() == buffer then
    on_move(buffer)
  end
end

---@param buffer integer
function M.detach(buffer)
  events.close("notices", buffer)
end

return M
