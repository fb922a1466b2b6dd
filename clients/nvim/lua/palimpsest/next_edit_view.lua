--- Draws a next edit: what goes struck through, what comes beside it, and where it is when it cannot be seen.
local M = {}

---@class palimpsest.NextEdit
---@field id string
---@field textDocument { uri: string, version: integer? }
---@field range lsp.Range
---@field text string
---@field kind string
---@field message string
---@field command lsp.Command

---@class palimpsest.Offered
---@field edit palimpsest.NextEdit
---@field total integer
---@field buffer integer -1 where its file is not open
---@field tick integer the buffer's text that it is for
---@field encoding string

local api = vim.api
local space = api.nvim_create_namespace("palimpsest.next_edit")
local drawn = {} ---@type table<integer, true> buffers with marks

function M.clear()
  for buffer in pairs(drawn) do
    if api.nvim_buf_is_valid(buffer) then
      api.nvim_buf_clear_namespace(buffer, space, 0, -1)
    end
  end
  drawn = {}
end

local function mark(buffer, row, column, options)
  drawn[buffer] = true
  api.nvim_buf_set_extmark(buffer, space, row, column, options)
end

--- What two texts have in common at both ends is left as it is; between characters, not bytes.
---@param old string
---@param new string
---@return integer head, integer tail in bytes
function M.common(old, new)
  local shortest = math.min(#old, #new)
  local head = 0
  while head < shortest and old:byte(head + 1) == new:byte(head + 1) do
    head = head + 1
  end
  while head > 0 and (old:byte(head + 1) or 0) >= 0x80 and (old:byte(head + 1) or 0) < 0xC0 do
    head = head - 1
  end
  local tail = 0
  while tail < shortest - head and old:byte(#old - tail) == new:byte(#new - tail) do
    tail = tail + 1
  end
  while tail > 0 and old:byte(#old - tail + 1) >= 0x80 and old:byte(#old - tail + 1) < 0xC0 do
    tail = tail - 1
  end
  return head, tail
end

---@param now palimpsest.Offered
---@return integer row, integer column, integer end_row, integer end_column
local function place(now)
  local range, rows = now.edit.range, {}
  for _, at in ipairs({ range.start, range["end"] }) do
    local line = api.nvim_buf_get_lines(now.buffer, at.line, at.line + 1, false)[1] or ""
    table.insert(rows, at.line)
    table.insert(rows, vim.str_byteindex(line, now.encoding, at.character, false))
  end
  return unpack(rows)
end

---@param now palimpsest.Offered
local function draw_here(now)
  local row, column, end_row, end_column = place(now)
  local last = api.nvim_buf_line_count(now.buffer) - 1
  if end_row > last then
    local line = api.nvim_buf_get_lines(now.buffer, last, last + 1, false)[1]
    end_row, end_column = last, #line
  end
  local old = table.concat(api.nvim_buf_get_text(now.buffer, row, column, end_row, end_column, {}), "\n")
  local new = now.edit.text
  local one_line = not old:find("\n") and not new:find("\n")
  if one_line then
    local head, tail = M.common(old, new)
    column, end_column = column + head, end_column - tail
    new = new:sub(head + 1, #new - tail)
  end
  if row ~= end_row or column ~= end_column then
    mark(now.buffer, row, column, {
      end_row = end_row,
      end_col = end_column,
      hl_group = { "PalimpsestNextDelete", "PalimpsestNextStruck" },
    })
  end
  if one_line then
    mark(now.buffer, end_row, end_column, { virt_text = { { new, "PalimpsestNextAdd" } }, virt_text_pos = "inline" })
  else
    local lines = {}
    for _, line in ipairs(vim.split((new:gsub("\n$", "")), "\n", { plain = true })) do
      table.insert(lines, { { line == "" and " " or line, "PalimpsestNextAdd" } })
    end
    mark(now.buffer, end_column == 0 and end_row > row and end_row - 1 or end_row, 0, { virt_lines = lines })
  end
  return row
end

--- The key that takes it, as a person reads it.
local function key()
  local keys = require("palimpsest.config").get().keys
  return keys and keys.tab and keys.tab:gsub("[<>]", "") or ":Palimpsest nextEdit"
end

---@param now palimpsest.Offered
local function hint(now, text)
  local buffer, row = api.nvim_get_current_buf(), api.nvim_win_get_cursor(0)[1] - 1
  local more = now.total > 1 and (" (%d)"):format(now.total) or ""
  mark(buffer, row, 0, {
    virt_text = { { (" %s %s%s"):format(key(), text, more), "PalimpsestNextHint" } },
    virt_text_pos = "eol",
    hl_mode = "combine",
  })
end

--- Behind the first line of what was put there; where the end of the buffer is gone, at what is the end now.
---@param now palimpsest.Offered
local function put_cursor(now)
  local edit = now.edit
  local row = math.min(edit.range.start.line, api.nvim_buf_line_count(now.buffer) - 1)
  local column = row < edit.range.start.line and 0
    or edit.range.start.character + vim.str_utfindex(edit.text:match("^[^\r\n]*"), now.encoding)
  local line = api.nvim_buf_get_lines(now.buffer, row, row + 1, false)[1]
  local byte = vim.str_byteindex(line, now.encoding, column, false)
  local last = api.nvim_get_mode().mode:find("^i") and #line or #line - 1
  api.nvim_win_set_cursor(0, { row + 1, math.max(math.min(byte, last), 0) })
end

--- Makes it.
---@param now palimpsest.Offered
function M.make(now)
  local edit = now.edit
  vim.lsp.util.apply_text_edits({ { range = edit.range, newText = edit.text } }, now.buffer, now.encoding)
  put_cursor(now)
end

---@param now palimpsest.Offered
function M.draw(now)
  M.clear()
  local line = now.edit.range.start.line
  if now.buffer ~= -1 and api.nvim_buf_is_valid(now.buffer) then
    draw_here(now)
  end
  if now.buffer ~= api.nvim_get_current_buf() then
    local name = vim.fn.fnamemodify(vim.uri_to_fname(now.edit.textDocument.uri), ":~:.")
    return hint(now, ("→ %s:%d %s"):format(name, line + 1, now.edit.message))
  end
  local row = api.nvim_win_get_cursor(0)[1] - 1
  if row >= line and row <= now.edit.range["end"].line then
    hint(now, "accepts: " .. now.edit.message)
  elseif line + 1 < vim.fn.line("w0") then
    hint(now, ("↑ line %d: %s"):format(line + 1, now.edit.message))
  elseif line + 1 > vim.fn.line("w$") then
    hint(now, ("↓ line %d: %s"):format(line + 1, now.edit.message))
  else
    hint(now, ("→ line %d"):format(line + 1))
  end
end

return M
