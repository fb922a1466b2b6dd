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

return M
