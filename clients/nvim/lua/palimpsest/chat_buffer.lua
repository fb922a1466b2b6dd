--- What a conversation's buffer has of its own: keys, folds, lenses.
local chats = require("palimpsest.chats")
local config = require("palimpsest.config")
local events = require("palimpsest.events")
local keys = require("palimpsest.keys")

local M = {}

local FOLD = "v:lua.vim.lsp.foldexpr()"
local REST_MS = 200
local later = events.pause()

--- Its lens, too, so that the reply is seen.
vim.lsp.commands["palimpsest.conversation.send"] = function()
  chats.send()
end

--- Turns fold by what the server says; all are open at first.  Prose is broken at words.
local function fold(buffer)
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    local wo = vim.wo[window][0]
    if wo.foldexpr ~= FOLD then
      wo.foldmethod, wo.foldexpr, wo.foldlevel, wo.foldtext = "expr", FOLD, 99, ""
    end
    wo.linebreak = true
  end
end

--- Asks for the lenses, once for all that happens in a moment; Neovim 0.12 does so by itself.
local function refresh(buffer)
  later(REST_MS, function()
    if not vim.lsp.codelens.enable and vim.api.nvim_buf_is_valid(buffer) then
      vim.lsp.codelens.refresh({ bufnr = buffer })
    end
  end)
end

function M.attach(buffer)
  if not chats.is(buffer) then
    return
  end
  for name, key in pairs(config.get().chat_keys or {}) do -- commands of these names: `conversation.send` and so on
    if key then
      keys.map(buffer, "n", key, name .. " (conversation)", function()
        return vim.keycode(("<Cmd>Palimpsest conversation.%s<CR>"):format(name))
      end)
    end
  end
  fold(buffer)
  if vim.lsp.codelens.enable then
    vim.lsp.codelens.enable(true, { bufnr = buffer })
  end
  refresh(buffer)
  events.listen(buffer, {
    { "BufWinEnter", fold },
    { { "TextChanged", "InsertLeave", "BufEnter" }, refresh },
  })
end

--- `palimpsest/conversation`: what stands beside the documents is not as it was.
---@param params { conversation: string, answering: boolean }
function M.on_conversation(_, params)
  require("palimpsest.scratch").refresh(params.conversation)
  local buffer = chats.buffer_of(params.conversation)
  if buffer then
    refresh(buffer)
  end
end

return M
