--- What an answer to `textDocument/inlineCompletion` offers at the cursor, and pieces of that.  Keeps nothing.
local M = {}

---@alias palimpsest.Part "word"|"line"|"all"

---@class palimpsest.Choice
---@field rest string what is still to be inserted at the cursor
---@field id? string for counting
---@field command? lsp.Command
---@field snippet? { value: string, typed: integer } bytes before the cursor that it replaces

--- With the line ends of a buffer: the server's are those of the file.
local function in_lines(text)
  return (text:gsub("\r\n?", "\n"))
end

--- What an item would insert at the cursor; nil where the line no longer begins as it does.
---@param item lsp.InlineCompletionItem
---@param start integer where it begins, in bytes
---@return palimpsest.Choice?
local function choice(item, start, line, column)
  local insert = item.insertText
  local text = in_lines(item.filterText or (type(insert) == "string" and insert or insert.value))
  local typed = line:sub(start + 1, column)
  local keeps = type(insert) ~= "string" or vim.startswith(in_lines(insert), typed) -- else blanks are to go
  if not keeps or not vim.startswith(text, typed) or #text == #typed then
    return nil
  end
  local argument = item.command and item.command.arguments and item.command.arguments[1] or {}
  local snippet = type(insert) == "table" and { value = in_lines(insert.value), typed = #typed } or nil
  return { rest = text:sub(#typed + 1), id = argument.id, command = item.command, snippet = snippet }
end

---@return palimpsest.Choice[]
function M.choices(result, encoding, row, column, line)
  local found = {}
  for _, item in ipairs(result and (result.items or result) or {}) do
    local from = item.range and item.range.start
    if not from or from.line == row then
      local start = from and vim.str_byteindex(line, encoding, from.character, false) or column
      table.insert(found, choice(item, start, line, column))
    end
  end
  return found
end

--- The word, or the line, that a text begins with.
function M.piece(text, part)
  if part == "word" then
    return text:match("^%s*[%w_\128-\255]+") or text:match("^%s*[^%w_%s\128-\255]+") or text
  end
  return part == "line" and text:match("^\n?[^\n]*") or text
end

return M
