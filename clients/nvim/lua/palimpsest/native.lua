--- Neovim's own inline completion (0.12), which asks by itself 200 ms after a keystroke.  It draws and holds what it
--- shows; what is accepted is inserted by `completion.lua`, since its own acceptance knows no word and no line and
--- leaves behind what was typed after it asked.
local client = require("palimpsest.client")
local config = require("palimpsest.config")

local M = {}

local METHOD = "textDocument/inlineCompletion"

--- Whether it is used in this Neovim with these settings.
function M.serves()
  local backend, own = config.get().inline.backend, config.get().completion
  if backend == "own" or not vim.lsp.inline_completion or own.trigger ~= "automatic" then
    return false
  end
  return backend == "native" or own.delay_ms == 0
end

---@param buffer integer
function M.is_on(buffer)
  return vim.lsp.inline_completion ~= nil and vim.lsp.inline_completion.is_enabled({ bufnr = buffer })
end

---@param buffer integer
function M.on(buffer)
  if M.serves() and not M.is_on(buffer) then
    vim.lsp.inline_completion.enable(true, { bufnr = buffer })
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
  if M.is_on(buffer) then
    vim.lsp.inline_completion.enable(false, { bufnr = buffer })
  end
end

---@param buffer integer
function M.visible(buffer)
  local space = vim.api.nvim_get_namespaces()["nvim.lsp.inline_completion"]
  return M.is_on(buffer) and space ~= nil and #vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, { limit = 1 }) > 0
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
