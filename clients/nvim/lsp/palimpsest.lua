-- How Neovim starts the server: `vim.lsp.enable("palimpsest")`, which plugin/palimpsest.lua does with the first file.
-- `vim.lsp.config("palimpsest", {...})` overrides any of it.

local config = require("palimpsest.config")
local start = require("palimpsest.start")

return {
  cmd = start.connect,
  root_dir = start.root,
  reuse_client = start.reuse,
  before_init = start.before_init,
  on_init = start.on_init,
  settings = { palimpsest = config.for_server() },
  handlers = {
    ["palimpsest/status"] = start.on_status,
    ["palimpsest/completion"] = function(...)
      require("palimpsest.completion").on_told(...)
    end,
    ["palimpsest/conversation"] = function(...)
      require("palimpsest.chat_buffer").on_conversation(...)
    end,
  },
  commands = start.commands(),
  on_exit = start.on_exit,
}
