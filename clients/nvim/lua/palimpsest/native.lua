--- Neovim's own inline completion (0.12), which asks by itself 200 ms after a keystroke.  It draws and holds what it
--- shows; what is accepted is inserted by `completion.lua`, since its own acceptance knows no word and no line and
--- leaves behind what was typed after it asked.
local client = require("palimpsest.client")
local config = require("palimpsest.config")
local events = require("palimpsest.events")

local M = {}

local METHOD = "textDocument/inlineCompletion"

--- Whether it is used in this Neovim with these settings.
function M.serves()
  local backend, own = config.get().inline.backend, config.get().completion
  if backend == "own" or not vim.lsp.inline_completion or own.trigger ~= "automatic" or own.show == "key" then
    return false
  end
  return backend == "native" or own.delay_ms == 0
end

---@param buffer integer
function M.is_on(buffer)
  return vim.lsp.inline_completion ~= nil and vim.lsp.inline_completion.is_enabled({ bufnr = buffer })
end

---@class palimpsest.Drawn what stands at a place
---@field row integer
---@field column integer
---@field text string

---@type palimpsest.Drawn?
local before_key

---@param buffer integer
---@return palimpsest.Drawn?
local function drawn(buffer)
  local space = vim.api.nvim_get_namespaces()["nvim.lsp.inline_completion"]
  local mark = space and vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, { details = true, limit = 1 })[1]
  local part = mark and mark[4] and mark[4].virt_text and mark[4].virt_text[1]
  return mark and part and { row = mark[2], column = mark[3], text = part[1] } or nil
end

--- It goes on drawing until the next answer whatever is typed into it: what no longer agrees goes with the key.
---@param buffer integer
local function follow(buffer)
  local was, now = before_key, drawn(buffer)
  before_key = nil
  if not now then
    return
  end
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local typed = was and was.row == row - 1 and vim.api.nvim_get_current_line():sub(was.column + 1, column)
  if not (was and typed and typed ~= "" and vim.startswith(was.text, typed)) then
    vim.api.nvim_buf_clear_namespace(buffer, vim.api.nvim_create_namespace("nvim.lsp.inline_completion"), 0, -1)
  end
end

---@param buffer integer
function M.on(buffer)
  if M.serves() and not M.is_on(buffer) then
    vim.lsp.inline_completion.enable(true, { bufnr = buffer })
    events.listen("native", buffer, { -- behind its own, which draw
      {
        { "InsertCharPre" },
        function()
          before_key = before_key or drawn(buffer) -- several keys may come before the cursor is told to have moved
        end,
      },
      { { "CursorMovedI" }, follow },
    })
  end
end

--- Its pending questions are withdrawn: an answer that comes after the end would be drawn and stay.
---@param buffer integer
function M.off(buffer)
  local one = client.get(buffer)
  if one then
    for id, request in pairs(one.requests) do
      if request.method == METHOD and request.bufnr == buffer and request.type == "pending" then
        one:cancel_request(id)
      end
    end
  end
  events.close("native", buffer)
  if M.is_on(buffer) then
    vim.lsp.inline_completion.enable(false, { bufnr = buffer })
  end
end

---@param buffer integer
function M.visible(buffer)
  return M.is_on(buffer) and drawn(buffer) ~= nil
end

--- Makes it ask once more where the cursor is, as it does when Insert mode begins.
---@param buffer integer
function M.again(buffer)
  local group = ("nvim.lsp.inline_completion:%d"):format(buffer)
  pcall(vim.api.nvim_exec_autocmds, "InsertEnter", { group = group, modeline = false })
end

--- Takes what is shown from it; `done` gets the item.
---@param buffer integer
---@param done fun(item: table)
---@return boolean
function M.take(buffer, done)
  return vim.lsp.inline_completion.get({
    bufnr = buffer,
    on_accept = function(item)
      done(item)
    end,
  })
end

return M
