--- Neovim's own inline completion (0.12), which asks by itself 200 ms after a keystroke.  It draws and holds what it
--- shows; what is accepted is inserted by `completion.lua`, since its own acceptance knows no word and no line and
--- leaves behind what was typed after it asked.
local client = require("palimpsest.client")
local config = require("palimpsest.config")
local events = require("palimpsest.events")

local M = {}

local api = vim.api
local space = api.nvim_create_namespace("nvim.lsp.inline_completion")

--- Whether it is used in this Neovim with these settings.
function M.serves()
  local backend, own = config.get().inline.backend, config.get().completion
  if backend == "own" or not vim.lsp.inline_completion or own.trigger ~= "automatic" or own.show == "key" then
    return false
  end
  return backend == "native" or own.delay_ms == 0
end

function M.is_on(buffer)
  return vim.lsp.inline_completion ~= nil and vim.lsp.inline_completion.is_enabled({ bufnr = buffer })
end

local before_key ---@type { row: integer, column: integer, text: string }?

--- What stands where.
local function drawn(buffer)
  local mark = api.nvim_buf_get_extmarks(buffer, space, 0, -1, { details = true, limit = 1 })[1]
  local part = mark and mark[4] and mark[4].virt_text and mark[4].virt_text[1]
  return part and { row = mark[2], column = mark[3], text = part[1] } or nil
end

--- It goes on drawing until the next answer whatever is typed into it: what no longer agrees goes with the key.
local function follow(buffer)
  local was = before_key
  before_key = nil
  if drawn(buffer) then
    local row, column = unpack(api.nvim_win_get_cursor(0))
    local typed = was and was.row == row - 1 and api.nvim_get_current_line():sub(was.column + 1, column) or ""
    if typed == "" or not vim.startswith(was.text, typed) then
      api.nvim_buf_clear_namespace(buffer, space, 0, -1)
    end
  end
end

--- Several keys may come before the cursor is told to have moved.
local function note(buffer)
  before_key = before_key or drawn(buffer)
end

function M.on(buffer)
  if M.serves() and not M.is_on(buffer) then
    vim.lsp.inline_completion.enable(true, { bufnr = buffer })
    events.listen(buffer, { { "InsertCharPre", note }, { "CursorMovedI", follow } }, "native") -- behind its own
  end
end

--- Its pending questions are withdrawn: an answer that comes after the end would be drawn and stay.
function M.off(buffer)
  local one = client.get(buffer)
  for id, request in pairs(one and one.requests or {}) do
    local is_its = request.method == "textDocument/inlineCompletion" and request.bufnr == buffer
    if is_its and request.type == "pending" then
      one:cancel_request(id)
    end
  end
  events.close(buffer, "native")
  if M.is_on(buffer) then
    vim.lsp.inline_completion.enable(false, { bufnr = buffer })
  end
end

function M.visible(buffer)
  return M.is_on(buffer) and drawn(buffer) ~= nil
end

--- Makes it ask once more where the cursor is, as it does when Insert mode begins.
function M.again(buffer)
  local group = ("nvim.lsp.inline_completion:%d"):format(buffer)
  pcall(api.nvim_exec_autocmds, "InsertEnter", { group = group, modeline = false })
end

--- Takes what is shown from it; `done` gets the item.
---@param done fun(item: vim.lsp.inline_completion.Item)
---@return boolean whether there was something
function M.take(buffer, done)
  return M.visible(buffer)
    and vim.lsp.inline_completion.get({
      bufnr = buffer,
      on_accept = function(item)
        done(item) -- and nothing is returned, which it would insert
      end,
    })
end

return M
