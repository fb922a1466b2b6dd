--- What a person's configuration and mappings call.  Each part is loaded when it is first used.
local M = {}

--- Settings, as in `vim.g.palimpsest`.  Optional; may be called again, and takes effect at once.
function M.setup(options)
  require("palimpsest.config").set(options)
  if package.loaded["palimpsest.start"] then
    require("palimpsest.start").settings_changed()
  end
end

local function call(module, name, ...)
  local given = { ... }
  return function()
    return require("palimpsest." .. module)[name](unpack(given))
  end
end

--- Accept the completion that is shown, or a part of it; whether there was one.
M.accept = call("completion", "accept", "all")
M.accept_word = call("completion", "accept", "word")
M.accept_line = call("completion", "accept", "line")
M.complete = call("completion", "ask")
--- Show what was prepared while you typed (`completion.show = "key"`).
M.show = call("completion", "reveal")
M.dismiss = call("completion", "dismiss")

M.next = call("completion", "cycle", 1)
M.previous = call("completion", "cycle", -1)
--- Go behind the brackets, quotes, `;` and `,` that follow the cursor on its line; whether there were some.
M.jump = call("closing", "jump")
--- Jump to the next edit, or make it where the cursor is there.
M.next_edit = call("next_edits", "take")
M.dismiss_edit = call("next_edits", "dismiss")
M.edit = call("edits", "here")
M.edit_with_instruction = call("edits", "with_instruction")
M.edit_alternatives = call("edits", "alternatives")
M.context = call("pages", "context")
M.cache = call("pages", "cache")
M.status = call("status", "open")
--- For 'statusline': `%{v:lua.require'palimpsest'.statusline()}`.
M.statusline = call("status", "line")

return M
