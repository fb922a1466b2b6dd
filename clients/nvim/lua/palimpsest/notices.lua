--- What the server is told: where a person rests the cursor, yanks, that Neovim has the focus, and what other servers
--- find wrong.
local client = require("palimpsest.client")
local config = require("palimpsest.config")
local events = require("palimpsest.events")

local M = {}

local api = vim.api
local timer = assert(vim.uv.new_timer())
local DIAGNOSTICS_MS = 300
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

local waiting = {} ---@type table<integer, true> buffers whose diagnostics will be told
local found = {} ---@type table<integer, true> buffers of which some were told

---@param one vim.Diagnostic
local function plain(one)
  return {
    range = {
      start = { line = one.lnum, character = one.col },
      ["end"] = { line = one.end_lnum or one.lnum, character = one.end_col or one.col },
    },
    message = one.message,
    severity = one.severity,
    source = one.source,
    code = one.code,
  }
end

local function tell_diagnostics(buffer)
  waiting[buffer] = nil
  local one = api.nvim_buf_is_valid(buffer) and client.get(buffer)
  if not one then
    return
  end
  local serious = vim.tbl_filter(function(it)
    return it.source ~= "palimpsest"
  end, vim.diagnostic.get(buffer, { severity = { min = vim.diagnostic.severity.WARN } }))
  if #serious == 0 and not found[buffer] then
    return
  end
  found[buffer] = true
  local version = vim.lsp.util.buf_versions[buffer]
  local document = { uri = client.uri(buffer), version = version }
  one:notify("palimpsest/diagnostics", { textDocument = document, diagnostics = vim.tbl_map(plain, serious) })
end

local function on_diagnostics(buffer)
  if config.get().notices.diagnostics and not waiting[buffer] then
    waiting[buffer] = true
    vim.defer_fn(function()
      tell_diagnostics(buffer)
    end, DIAGNOSTICS_MS)
  end
end

---@param buffer integer
function M.attach(buffer)
  events.listen("notices", buffer, {
    { { "CursorMoved", "BufEnter", "InsertLeave" }, on_move },
    { { "TextYankPost" }, on_yank },
    { { "FocusGained" }, on_focus },
    { { "DiagnosticChanged" }, on_diagnostics },
  })
  if api.nvim_get_current_buf() == buffer then
    on_move(buffer)
  end
  found[buffer] = nil
  on_diagnostics(buffer)
end

---@param buffer integer
function M.detach(buffer)
  events.close("notices", buffer)
end

return M
