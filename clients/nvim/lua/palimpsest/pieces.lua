--- How much of a completion is a word, a line, all.
local M = {}

local WORD = "^%s*[%w_\128-\255]+"
local OTHER = "^%s*[^%w_%s\128-\255]+"

---@alias palimpsest.Part "word"|"line"|"all"

---@param text string
---@param part palimpsest.Part
---@return string
function M.of(text, part)
  if part == "word" then
    return text:match(WORD) or text:match(OTHER) or text
  elseif part == "line" then
    return text:match("^\n?[^\n]*")
  end
  return text
end

return M
