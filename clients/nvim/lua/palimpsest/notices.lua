--- What the server is told of a person's whereabouts, when they rest: the cursor, yanks, that Neovim has the focus.
local client = require("palimpsest.client")
local config = require("palimpsest.config")

local M = {}

local api = vim.api
local timer = assert(vim.uv.new_timer())
local told ---@type string? where the cursor was, last

local function tell_cursor(buffer)
  local one = client.get(buffer)
  if not one or api.nvim_get_current_buf() ~= buffer then
    return
  end
  local position = client.position(one)
  local version = vim.lsp.util.buf_versions[buffer]
  local now = ("%d:%d:%d:%d"):format(buffer, version or 0, position.line, position.character)
  if now ~= told then
    told = now
    one:notify("palimpsest/cursor", { textDocument = { uri = client.uri(buffer), version = version }, position = position })
    vim.schedule(function()
      api.nvim_exec_autocmds("User", { pattern = "PalimpsestCursor", modeline = false })
    end)
  end
end

local function on_move(buffer)
  local delay = config.get().notices.delay
  if delay > 0 then
    timer:start(delay, 0, vim.schedule_wrap(function()
      if api.nvim_buf_is_valid(buffer) then
        tell_cursor(buffer)
      end
    end))
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

local function group_of(buffer)
  return ("palimpsest.notices.%d"):format(buffer)
end

---@param buffer integer
function M.attach(buffer)
  local group = api.nvim_create_augroup(group_of(buffer), { clear = true })
  local function on(events, call)
    api.nvim_create_autocmd(events, {
      group = group,
      buffer = buffer,
      callback = function()
        call(buffer)
      end,
    })
  end
  on({ "CursorMoved", "BufEnter", "InsertLeave" }, on_move)
  on({ "TextYankPost" }, on_yank)
  on({ "FocusGained" }, function()
    if config.get().notices.focus then
      client.notify("palimpsest/event", { kind = "focus" }, buffer)
    end
  end)
  if api.nvim_get_current_buf() == buffer then
    on_move(buffer)
  end
end

---@param buffer integer
function M.detach(buffer)
  pcall(api.nvim_del_augroup_by_name, group_of(buffer))
end

return M
