--- The edit of an answer; what it replaces in a buffer, in bytes; what is left of it while it is typed; making it.
local M = {}

---@class palimpsest.Place
---@field row integer
---@field column integer
---@field end_row integer
---@field end_column integer
---@field text string what comes there

local api = vim.api

local function line_of(buffer, row)
  return api.nvim_buf_get_lines(buffer, row, row + 1, true)[1]
end

--- The edit of an answer, if it has one: a place in a file and a text.
---@return table?
function M.first(answer)
  local is_whole, edit = pcall(function()
    local one = answer.edits[1]
    local from, to = one.range.start, one.range["end"]
    local in_order = from.line < to.line or from.line == to.line and from.character <= to.character
    local is_text = one.text:len() >= 0 and from.character + to.character >= 0
    return in_order and is_text and from.line >= 0 and vim.startswith(one.textDocument.uri, "file:///") and one
  end)
  return is_whole and edit or nil
end

--- Whether it is for the text that the buffer has, where behind the last line is a place, too.
---@param edit table
function M.fits(edit, buffer)
  local version, last = edit.textDocument.version, edit.range["end"]
  local lines = api.nvim_buf_line_count(buffer)
  return (type(version) ~= "number" or version == vim.lsp.util.buf_versions[buffer])
    and (last.line < lines or (last.line == lines and last.character == 0))
end

--- How many bytes two texts have in common at both ends; whole characters alone.
---@return integer head, integer tail
function M.common(old, new)
  local shortest, head, tail = math.min(#old, #new), 0, 0
  while head < shortest and old:byte(head + 1) == new:byte(head + 1) do
    head = head + 1
  end
  head = head + (head < #old and vim.str_utf_start(old, head + 1) or 0)
  while tail < shortest - head and old:byte(#old - tail) == new:byte(#new - tail) do
    tail = tail + 1
  end
  while tail > 0 and vim.str_utf_start(old, #old - tail + 1) < 0 do
    tail = tail - 1
  end
  return head, tail
end

--- The last line's end stands for the place behind it, which the server knows and a buffer has not.
---@param edit table one of `palimpsest/nextEdit`
---@return palimpsest.Place
function M.of(buffer, edit, encoding)
  local from, to, text = edit.range.start, edit.range["end"], edit.text:gsub("\r\n?", "\n")
  local last = api.nvim_buf_line_count(buffer) - 1
  local function bytes(at)
    local line = line_of(buffer, math.min(at.line, last))
    return math.min(at.line, last), at.line > last and #line or vim.str_byteindex(line, encoding, at.character, false)
  end
  local row, column = bytes(from)
  local end_row, end_column = bytes(to)
  if to.line > last then
    if from.line > last then
      text = "\n" .. text
    elseif text == "" and column == 0 and row > 0 then -- with the line, what ends the one above
      row, column = row - 1, #line_of(buffer, row - 1)
    end
    text = text:gsub("\n$", "")
  end
  return { row = row, column = column, end_row = end_row, end_column = end_column, text = text }
end

--- A row and a column behind some text.
local function behind(row, column, text)
  local last = text:match("[^\n]*$")
  local _, lines = text:gsub("\n", "")
  return row + lines, (lines == 0 and column or 0) + #last
end

--- Without what the texts have in common at both ends.
---@param place palimpsest.Place
---@return palimpsest.Place
function M.smallest(buffer, place)
  local lines = api.nvim_buf_get_text(buffer, place.row, place.column, place.end_row, place.end_column, {})
  local old = table.concat(lines, "\n")
  local head, tail = M.common(old, place.text)
  local row, column = behind(place.row, place.column, old:sub(1, head))
  local end_row, end_column = behind(place.row, place.column, old:sub(1, #old - tail))
  local text = place.text:sub(head + 1, #place.text - tail)
  return { row = row, column = column, end_row = end_row, end_column = end_column, text = text }
end

---@alias palimpsest.Change { row: integer, column: integer, old: [integer, integer], new: [integer, integer] }

--- What is left where a change made of exactly this range what its text begins with; nil where it did anything else.
---@param place palimpsest.Place
---@param change palimpsest.Change as `on_bytes` tells it: ends are relative to its start
---@return palimpsest.Place?
function M.rest(buffer, place, change)
  local function end_of(size)
    return change.row + size[1], (size[1] == 0 and change.column or 0) + size[2]
  end
  local old_row, old_column = end_of(change.old)
  local is_same_start = change.row == place.row and change.column == place.column
  if not is_same_start or old_row ~= place.end_row or old_column ~= place.end_column then
    return nil
  end
  local row, column = end_of(change.new)
  local is_read, lines = pcall(api.nvim_buf_get_text, buffer, place.row, place.column, row, column, {})
  local typed = is_read and table.concat(lines, "\n")
  if not typed or not vim.startswith(place.text, typed) then
    return nil
  end
  return { row = row, column = column, end_row = row, end_column = column, text = place.text:sub(#typed + 1) }
end

--- Whether all of it is there.
---@param place palimpsest.Place
function M.is_done(place)
  return place.text == "" and place.row == place.end_row and place.column == place.end_column
end

--- Makes it; the cursor goes behind what was put there.
---@param place palimpsest.Place
function M.make(buffer, place)
  local lines = vim.split(place.text, "\n")
  api.nvim_buf_set_text(buffer, place.row, place.column, place.end_row, place.end_column, lines)
  local row, column = behind(place.row, place.column, (place.text:gsub("\n$", "")))
  api.nvim_win_set_cursor(0, { row + 1, column })
end

return M
