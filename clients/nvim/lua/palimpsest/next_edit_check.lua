--- What an answer must be to be drawn: a place in a file and a text.  Keeps nothing.
local M = {}

--- Whether it is a place in a file and a text.
---@param edit any
local function is_whole(edit)
  local document = type(edit) == "table" and edit.textDocument
  local range = type(document) == "table" and type(document.uri) == "string" and edit.range
  if type(range) ~= "table" or type(edit.text) ~= "string" or not document.uri:find("^file:///") then
    return false
  end
  for _, at in ipairs({ range.start or 0, range["end"] or 0 }) do
    if type(at) ~= "table" or type(at.line) ~= "number" or type(at.character) ~= "number" then
      return false
    end
  end
  local from, to = range.start, range["end"]
  return from.line >= 0 and (from.line < to.line or (from.line == to.line and from.character <= to.character))
end

--- Whether the buffer has that place; behind its last line is one.
---@param buffer integer
---@param range lsp.Range
local function is_inside(buffer, range)
  local last = range["end"]
  local lines = vim.api.nvim_buf_line_count(buffer)
  return last.line < lines or (last.line == lines and last.character == 0)
end

--- The edit of an answer, if there is one.
---@param answer any
---@return palimpsest.NextEdit?
function M.first(answer)
  local edits = type(answer) == "table" and answer.edits
  local edit = type(edits) == "table" and edits[1]
  return edit and is_whole(edit) and edit or nil
end

--- Whether it is for the text that the buffer has; -1 stands for a file that is not open.
---@param edit palimpsest.NextEdit
---@param buffer integer
function M.fits(edit, buffer)
  local version = edit.textDocument.version
  if buffer == -1 then
    return true
  end
  return (type(version) ~= "number" or version == vim.lsp.util.buf_versions[buffer]) and is_inside(buffer, edit.range)
end

return M
