--- What an answer to `textDocument/inlineCompletion` offers at the cursor, and the completion that is shown as grey
--- text.  Owner of it: it follows what is typed, gives away pieces, and goes.
local config = require("palimpsest.config")
local events = require("palimpsest.events")

local M = {}

local api = vim.api
local space = api.nvim_create_namespace("palimpsest.ghost")

---@class palimpsest.Choice
---@field rest string what is still to be inserted at the cursor
---@field typed string what stands before the cursor of it
---@field id? string for counting
---@field command? lsp.Command
---@field snippet? string with what was typed of it

---@class palimpsest.Shown
---@field buffer integer
---@field row integer
---@field before string the line up to the cursor
---@field after string and behind it
---@field choices palimpsest.Choice[]
---@field index integer

local now ---@type palimpsest.Shown?

---@return integer buffer, integer row, integer column, string line
function M.here()
  local cursor = api.nvim_win_get_cursor(0)
  return api.nvim_get_current_buf(), cursor[1] - 1, cursor[2], api.nvim_get_current_line()
end

--- How many columns behind the text the cursor is, with 'virtualedit'.
local function beyond()
  return vim.fn.getcurpos()[4]
end

--- Where the cursor is, and in which text.
function M.place()
  local buffer, row, column = M.here()
  return { buffer, row, column, beyond(), api.nvim_buf_get_changedtick(buffer), events.inserting() }
end

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
  local snippet = type(insert) == "table" and in_lines(insert.value) or nil
  return { rest = text:sub(#typed + 1), typed = typed, id = argument.id, command = item.command, snippet = snippet }
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

--- Whether Neovim's own inline completion (0.12) draws in a buffer.
function M.by_neovim(buffer)
  return vim.lsp.inline_completion ~= nil and vim.lsp.inline_completion.is_enabled({ bufnr = buffer })
end

--- Whether it may be drawn: where text can be inserted, and not into or below what another plugin draws at the cursor.
function M.has_place()
  local can_insert = beyond() == 0 and vim.bo.modifiable
  return can_insert and not events.is_taken(config.get().inline.with_menu)
end

--- The word, or the line, that a text begins with.
function M.piece(text, part)
  if part == "word" then
    return text:match("^%s*[%w_\128-\255]+") or text:match("^%s*[^%w_%s\128-\255]+") or text
  end
  return part == "line" and text:match("^\n?[^\n]*") or text
end

---@return palimpsest.Choice?
function M.chosen()
  return now and now.choices[now.index]
end

function M.count()
  return now and #now.choices or 0
end

--- Not drawn; it is drawn again when it next follows.
local function cover()
  if now and api.nvim_buf_is_valid(now.buffer) then
    api.nvim_buf_clear_namespace(now.buffer, space, 0, -1)
  end
end

function M.hide()
  cover()
  now = nil
end

--- Tabs as they would be shown: virtual text shows none.
---@param column integer where it begins on the screen
function M.expanded(text, column, width)
  local found = text:gsub("([^\t]*)\t", function(part)
    local from = column + vim.fn.strdisplaywidth(part)
    column = from + width - from % width
    return part .. (" "):rep(column - from)
  end)
  return found
end

--- Shows them at the cursor, in place of what was there.
---@param index integer the one on top
---@param numbered boolean with the number of the alternative behind it
local function put(choices, index, numbered)
  M.hide()
  local buffer, row, column, line = M.here()
  local before, after = line:sub(1, column), line:sub(column + 1)
  now = { buffer = buffer, row = row, before = before, after = after, choices = choices, index = index }
  if M.by_neovim(buffer) or not events.inserting() or not M.has_place() then
    return
  end
  local at, parts = vim.fn.strdisplaywidth(before), {}
  for number, part in ipairs(vim.split(choices[index].rest, "\n")) do
    parts[number] = { { M.expanded(part, number == 1 and at or 0, vim.bo[buffer].tabstop), "PalimpsestGhost" } }
  end
  if numbered then
    table.insert(parts[#parts], { ("  %d/%d"):format(index, #choices), "PalimpsestHint" })
  end
  api.nvim_buf_set_extmark(buffer, space, row, column, {
    virt_text = parts[1],
    virt_lines = #parts > 1 and vim.list_slice(parts, 2) or nil,
    virt_text_pos = "inline",
    hl_mode = "combine",
  })
end

--- Shows the first of what an answer offers at the cursor, or nothing: beside a next edit, the key would do either.
function M.offer(answer, encoding)
  M.hide()
  if require("palimpsest.next_edits").visible() then
    return
  end
  local _, row, column, line = M.here()
  local choices = M.choices(answer, encoding, row, column, line)
  if #choices > 0 then
    put(choices, 1, #choices > 1)
  end
end

function M.turn(by)
  if now then
    put(now.choices, (now.index - 1 + by) % #now.choices + 1, true)
  end
end

--- What was typed since it was shown; nil where anything else is another than it was.
local function typed_since()
  local buffer, row, column, line = M.here()
  local is_here = now and buffer == now.buffer and row == now.row and vim.startswith(line:sub(1, column), now.before)
  return is_here and line:sub(column + 1) == assert(now).after and line:sub(#now.before + 1, column) or nil
end

--- The choices that begin with a piece, without it, for as long as the chosen one is among them and has more.
---@return palimpsest.Choice[]? left, integer? index of the chosen one
local function behind(piece)
  local left, index = {}, nil
  for at, one in ipairs(assert(now).choices) do
    if vim.startswith(one.rest, piece) and #one.rest > #piece then
      local typed = one.typed .. piece
      table.insert(left, vim.tbl_extend("force", one, { rest = one.rest:sub(#piece + 1), typed = typed }))
      index = at == now.index and #left or index
    end
  end
  return index and left, index
end

--- Whether some of it is left for the line as it is now: of several keys that come at once only the last is told of.
function M.agrees()
  local piece = typed_since()
  return piece ~= nil and behind(piece) ~= nil
end

--- Goes on behind a piece that was typed or taken.
---@return boolean whether anything is shown
local function go_on(piece)
  local left, index = behind(piece)
  M.hide()
  if left then
    put(left, assert(index), false)
  end
  return left ~= nil
end

--- Keeps what still agrees with the line, as a person types on.
---@return boolean whether anything is shown
function M.follow()
  local piece = typed_since()
  if piece then
    return go_on(piece)
  end
  M.hide()
  return false
end

--- A piece was inserted at the cursor, which is behind it now: shows the rest, which is no snippet any more.
---@param piece string
function M.taken(piece)
  for _, one in ipairs(now and now.choices or {}) do
    one.snippet = nil
  end
  return now and go_on(piece)
end

return M
