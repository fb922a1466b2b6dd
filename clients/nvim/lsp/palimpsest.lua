-- How Neovim starts the server: `vim.lsp.enable("palimpsest")`, which plugin/palimpsest.lua does with the first file.
-- `vim.lsp.config("palimpsest", {...})` overrides any of it.

local start = require("palimpsest.start")

return {
  cmd = start.connect,
  root_dir = start.root,
  reuse_client = start.reuse,
  before_init = start.before_init,
  on_init = start.on_init,
  on_exit = start.on_exit,
  settings = { palimpsest = require("palimpsest.config").for_server() },
  handlers = {
    ["palimpsest/status"] = function(_, status)
      require("palimpsest.status").told(status)
    end,
    ["palimpsest/completion"] = require("palimpsest.completion").on_told,
    ["workspace/applyEdit"] = function(...)
      return require("palimpsest.edits").on_asked(...)
    end,
    ["palimpsest/conversation"] = require("palimpsest.chat_buffer").on_conversation,
  },
  commands = {
    ["palimpsest.suggest.apply"] = function(command)
      require("palimpsest.edits").from_action(command.arguments[1])
    end,
  },
}
