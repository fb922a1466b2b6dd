--- What a person's configuration and mappings call.  Each part is loaded when it is first used.
local M = {}

--- Settings, as in `vim.g.palimpsest`.  Optional; may be called again, and takes effect at once.
---@param options? table
function M.setup(options)
  require("palimpsest.config").set(options)
  if package.loaded["palimpsest.start"] then
    require("palimpsest.start").settings_changed()
  end
end

local function completion()
  return require("palimpsest.completion")
end

--- Accept the completion that is shown; whether there was one.
---@return boolean
function M.accept()
  return completion().accept("all")
end

---@return boolean
function M.accept_word()
  return completion().accept("word")
end

---@return boolean
function M.accept_line()
  return completion().accept("line")
end

function M.next()
  completion().cycle(vim.v.count1)
end

function M.previous()
  completion().cycle(-vim.v.count1)
end

function M.complete()
  completion().ask()
end

--- Show what was prepared while you typed (`completion.show = "key"`).
function M.show()
  completion().reveal()
end

--- Go behind the brackets, quotes, `;` and `,` that follow the cursor on its line; whether there were some.
---@return boolean
function M.jump()
  return require("palimpsest.closers").jump()
end

function M.dismiss()
  completion().dismiss()
end

--- Jump to the next edit, or make it where the cursor is there.
function M.next_edit()
  require("palimpsest.next_edits").take()
end

function M.dismiss_edit()
  require("palimpsest.next_edits").dismiss()
end

function M.edit()
  require("palimpsest.edits").here()
end

function M.edit_with_instruction()
  require("palimpsest.edits").with_instruction()
end

function M.edit_alternatives()
  require("palimpsest.edits").alternatives()
end

function M.context()
  require("palimpsest.context").open()
end

function M.cache()
  require("palimpsest.cache").open()
end

function M.status()
  require("palimpsest.status").open()
end

--- For 'statusline': `%{v:lua.require'palimpsest'.statusline()}`.
---@return string
function M.statusline()
  return require("palimpsest.status").line()
end

return M
