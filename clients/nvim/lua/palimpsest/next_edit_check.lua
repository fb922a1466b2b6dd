--- What an answer must be to be drawn: a place in a file and a text.  Keeps nothing.
local M = {}

--- Whether it is a place in a file and a text.
---@param edit any
function M.is_whole(edit)
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
function M.is_inside(buffer, range)
  local last = range["end"]
  local lines = vim.api.nvim_buf_line_count(buffer)
  return last.line < lines or (last.line == lines and last.character == 0)
end

return M
