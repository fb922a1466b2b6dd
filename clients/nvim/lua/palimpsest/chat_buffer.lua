--- What a conversation's buffer has of its own: keys, folds, lenses.
local chats = require("palimpsest.chats")
local config = require("palimpsest.config")
local events = require("palimpsest.events")

local M = {}

local PART = "chat"
local REST_MS = 200

---@type table<string, { [1]: string, [2]: string, [3]: string }> module, function, what it does
local KEYS = {
  send = { "chats", "send", "send" },
  stop = { "chats", "stop", "stop the reply" },
  fork = { "chats", "fork", "fork" },
  compact = { "chats", "compact", "compact" },
  refs = { "chat_lists", "refs", "refs" },
  descriptors = { "chat_lists", "descriptors", "descriptors" },
  documents = { "chat_lists", "documents", "documents" },
  write = { "chat_lists", "write", "write a ref to a file" },
}

local function set_keys(buffer)
  for name, key in pairs(config.get().chat_keys or {}) do
    local one = KEYS[name]
    if key and one then
      vim.keymap.set("n", key, function()
        require("palimpsest." .. one[1])[one[2]]()
      end, { buffer = buffer, desc = "Palimpsest: " .. one[3] })
    end
  end
end

local function clear_keys(buffer)
  for _, key in pairs(config.get().chat_keys or {}) do
    if key and vim.api.nvim_buf_is_valid(buffer) then
      pcall(vim.keymap.del, "n", key, { buffer = buffer })
    end
  end
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
---@param buffer integer
function M.refresh(buffer)
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

---@param buffer integer
function M.attach(buffer)
  if not chats.is(buffer) then
    return
  end
  set_keys(buffer)
  fold(buffer)
  if vim.lsp.codelens.enable then
    vim.lsp.codelens.enable(true, { bufnr = buffer })
  end
  M.refresh(buffer)
  events.listen(PART, buffer, {
    { { "BufWinEnter" }, fold },
    { { "TextChanged", "InsertLeave", "BufEnter" }, M.refresh },
  })
end

---@param buffer integer
function M.detach(buffer)
  if chats.is(buffer) then
    clear_keys(buffer)
  end
  events.close(PART, buffer)
end

--- `palimpsest/conversation`: what stands beside the documents is not as it was.
---@param params { conversation: string, answering: boolean }
function M.on_conversation(_, params)
  require("palimpsest.virtual").refresh(params.conversation)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and chats.id(buffer) == params.conversation then
      M.refresh(buffer)
    end
  end
end

return M
