--- What the server is told: where a person rests the cursor, yanks, that Neovim has the focus, and what other servers
--- find wrong.
local client = require("palimpsest.client")
local config = require("palimpsest.config")
local events = require("palimpsest.events")

local M = {}

local api = vim.api
local DIAGNOSTICS_MS = 300
local later = events.pause()

function M.tell_cursor(buffer)
  local one = api.nvim_buf_is_valid(buffer) and client.get(buffer)
  local here = api.nvim_get_current_buf() == buffer
  local window = here and api.nvim_get_current_win() or vim.fn.win_findbuf(buffer)[1]
  if not one or not window then
    return
  end
  local position = client.position(one, window)
  one:notify("palimpsest/cursor", { textDocument = client.document(buffer), position = position })
  vim.schedule(function()
    api.nvim_exec_autocmds("User", { pattern = "PalimpsestCursor", modeline = false })
  end)
end

local function on_move(buffer)
  local delay = config.get().notices.delay
  if delay > 0 then
    later(delay, function()
      M.tell_cursor(buffer)
    end)
  end
end

local function on_yank(buffer)
  if config.get().notices.yank and vim.v.event.operator == "y" then
    local lines = { start = vim.fn.line("'[") - 1, ["end"] = vim.fn.line("']") }
    client.event("yank", buffer, { uri = vim.uri_from_bufnr(buffer), lines = lines })
  end
end

local function on_focus(buffer)
  if config.get().notices.focus then
    client.event("focus", buffer)
  end
end

local waiting = {} ---@type table<integer, true> buffers whose diagnostics will be told
local found = {} ---@type table<integer, true> buffers of which some were told

local function tell_diagnostics(buffer)
  waiting[buffer] = nil
  local one = api.nvim_buf_is_valid(buffer) and client.get(buffer)
  local every = one and vim.diagnostic.get(buffer, { severity = { min = vim.diagnostic.severity.WARN } }) or {}
  local serious = vim.tbl_filter(function(it)
    return it.source ~= "palimpsest"
  end, every)
  if one and (#serious > 0 or found[buffer]) then
    found[buffer] = true
    local diagnostics = vim.lsp.diagnostic.from(serious)
    one:notify("palimpsest/diagnostics", { textDocument = client.document(buffer), diagnostics = diagnostics })
  end
end

local function on_diagnostics(buffer)
  if config.get().notices.diagnostics and not waiting[buffer] then
    waiting[buffer] = true
    vim.defer_fn(function()
      tell_diagnostics(buffer)
    end, DIAGNOSTICS_MS)
  end
end

function M.attach(buffer)
  events.listen(buffer, {
    { { "CursorMoved", "BufEnter", "InsertLeave" }, on_move },
    { "TextYankPost", on_yank },
    { "FocusGained", on_focus },
    { "DiagnosticChanged", on_diagnostics },
  })
  if api.nvim_get_current_buf() == buffer then
    on_move(buffer)
  end
  found[buffer] = nil
  on_diagnostics(buffer)
end

return M
