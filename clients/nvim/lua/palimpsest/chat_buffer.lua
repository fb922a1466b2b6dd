--- What a conversation's buffer has of its own: keys, folds, lenses.
local chats = require("palimpsest.chats")
local config = require("palimpsest.config")
local events = require("palimpsest.events")

local M = {}

local REST_MS = 200

--- What keys do: commands of the same names, `conversation.send` and so on.
local KEYS = {
  send = "send",
  stop = "stop the reply",
  fork = "fork",
  compact = "compact",
  refs = "refs",
  descriptors = "descriptors",
  documents = "documents",
  write = "write a ref to a file",
}

--- Keys that are set, by the setting's names.
local function keys()
  return vim.iter(config.get().chat_keys or {}):filter(function(name, key)
    return key and KEYS[name]
  end)
end

--- Its lens, too, so that the reply is seen.
vim.lsp.commands["palimpsest.conversation.send"] = function()
  chats.send()
end

--- Turns fold by what the server says; all are open at first.  Prose is broken at words.
local function fold(buffer)
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    local wo = vim.wo[window][0]
    wo.foldmethod, wo.foldexpr, wo.foldlevel, wo.foldtext = "expr", "v:lua.vim.lsp.foldexpr()", 99, ""
    wo.linebreak = true
  end
end

local waiting = {} ---@type table<integer, true>

--- Asks for the lenses, once for all that happens in a moment.
local function refresh(buffer)
  if vim.lsp.codelens.enable or waiting[buffer] then -- Neovim 0.12 looks by itself
    return
  end
  waiting[buffer] = true
  vim.defer_fn(function()
    waiting[buffer] = nil
    if vim.api.nvim_buf_is_valid(buffer) then
      vim.lsp.codelens.refresh({ bufnr = buffer })
    end
  end, REST_MS)
end

function M.attach(buffer)
  if not chats.is(buffer) then
    return
  end
  for name, key in keys() do
    vim.keymap.set("n", key, function()
      require("palimpsest.commands").call("conversation." .. name)
    end, { buffer = buffer, desc = "Palimpsest: " .. KEYS[name] })
  end
  fold(buffer)
  if vim.lsp.codelens.enable then
    vim.lsp.codelens.enable(true, { bufnr = buffer })
  end
  refresh(buffer)
  events.listen(buffer, {
    { { "BufWinEnter" }, fold },
    { { "TextChanged", "InsertLeave", "BufEnter" }, refresh },
  })
end

function M.detach(buffer)
  if vim.api.nvim_buf_is_valid(buffer) and chats.is(buffer) then
    for _, key in keys() do
      pcall(vim.keymap.del, "n", key, { buffer = buffer })
    end
  end
end

--- `palimpsest/conversation`: what stands beside the documents is not as it was.
---@param params { conversation: string, answering: boolean }
function M.on_conversation(_, params)
  require("palimpsest.virtual").refresh(params.conversation)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and chats.id(buffer) == params.conversation then
      refresh(buffer)
    end
  end
end

return M
