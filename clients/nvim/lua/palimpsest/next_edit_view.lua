--- Draws a next edit: what goes struck through, what comes beside it, and where it is when it cannot be seen.
local M = {}

---@class palimpsest.Offered
---@field edit table one of `palimpsest/nextEdit`
---@field total integer
---@field buffer integer -1 where its file is not open
---@field tick integer the buffer's text that it is for
---@field encoding string

local api = vim.api
local space = api.nvim_create_namespace("palimpsest.next_edit")

function M.clear()
  for _, buffer in ipairs(api.nvim_list_bufs()) do
    api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  end
end

local function mark(buffer, row, column, options)
  api.nvim_buf_set_extmark(buffer, space, row, column, options)
end

--- How many bytes two texts have in common at both ends; whole characters alone.
---@param old string
---@param new string
---@return integer head, integer tail
local function common(old, new)
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

local function line_of(buffer, row)
  return api.nvim_buf_get_lines(buffer, row, row + 1, false)[1]
end

---@param now palimpsest.Offered
---@return integer row, integer column
local function place(now, at)
  local line = line_of(now.buffer, at.line)
  if not line then -- behind the last line
    local last = api.nvim_buf_line_count(now.buffer) - 1
    return last, #line_of(now.buffer, last)
  end
  return at.line, vim.str_byteindex(line, now.encoding, at.character, false)
end

---@param now palimpsest.Offered
local function draw_here(now)
  local buffer, new = now.buffer, now.edit.text
  local row, column = place(now, now.edit.range.start)
  local end_row, end_column = place(now, now.edit.range["end"])
  local old = table.concat(api.nvim_buf_get_text(buffer, row, column, end_row, end_column, {}), "\n")
  local one_line = not (old .. new):find("\n")
  if one_line then
    local head, tail = common(old, new)
    column, end_column = column + head, end_column - tail
    new = new:sub(head + 1, #new - tail)
  end
  if row ~= end_row or column ~= end_column then
    local groups = { "PalimpsestNextDelete", "PalimpsestNextStruck" }
    mark(buffer, row, column, { end_row = end_row, end_col = end_column, hl_group = groups })
  end
  if one_line then
    return mark(buffer, end_row, end_column, { virt_text = { { new, "PalimpsestNextAdd" } }, virt_text_pos = "inline" })
  end
  local lines = vim.tbl_map(function(line)
    return { { line == "" and " " or line, "PalimpsestNextAdd" } }
  end, vim.split(new:gsub("\n$", ""), "\n"))
  mark(buffer, end_column == 0 and end_row > row and end_row - 1 or end_row, 0, { virt_lines = lines })
end

--- At the cursor, with the key that takes it as a person reads it.
---@param now palimpsest.Offered
local function hint(now, text)
  local keys = require("palimpsest.config").get().keys
  local key = keys and keys.tab and keys.tab:gsub("[<>]", "") or ":Palimpsest nextEdit"
  local more = now.total > 1 and (" (%d)"):format(now.total) or ""
  mark(api.nvim_get_current_buf(), api.nvim_win_get_cursor(0)[1] - 1, 0, {
    virt_text = { { (" %s %s%s"):format(key, text, more), "PalimpsestNextHint" } },
    virt_text_pos = "eol",
    hl_mode = "combine",
  })
end

--- Makes it; the cursor goes behind the first line of what was put there.  Where the end of the buffer is gone, at
--- what is the end now.
---@param now palimpsest.Offered
function M.make(now)
  local edit = now.edit
  local start = edit.range.start
  vim.lsp.util.apply_text_edits({ { range = edit.range, newText = edit.text } }, now.buffer, now.encoding)
  local row, column = place(now, start)
  local is_there = row == start.line
  api.nvim_win_set_cursor(0, { row + 1, is_there and column + #edit.text:match("^[^\r\n]*") or 0 })
end

--- Whether the cursor is in its lines.
---@param now palimpsest.Offered
function M.is_at_cursor(now)
  local row, range = api.nvim_win_get_cursor(0)[1] - 1, now.edit.range
  return now.buffer == api.nvim_get_current_buf() and row >= range.start.line and row <= range["end"].line
end

---@param now palimpsest.Offered
function M.draw(now)
  M.clear()
  local line, message = now.edit.range.start.line, now.edit.message
  if now.buffer ~= -1 and api.nvim_buf_is_valid(now.buffer) then
    draw_here(now)
  end
  if now.buffer ~= api.nvim_get_current_buf() then
    local name = vim.fn.fnamemodify(vim.uri_to_fname(now.edit.textDocument.uri), ":~:.")
    return hint(now, ("→ %s:%d %s"):format(name, line + 1, message))
  end
  if M.is_at_cursor(now) then
    hint(now, "accepts: " .. message)
  elseif line + 1 < vim.fn.line("w0") then
    hint(now, ("↑ line %d: %s"):format(line + 1, message))
  elseif line + 1 > vim.fn.line("w$") then
    hint(now, ("↓ line %d: %s"):format(line + 1, message))
  else
    hint(now, ("→ line %d"):format(line + 1))
  end
end

return M
