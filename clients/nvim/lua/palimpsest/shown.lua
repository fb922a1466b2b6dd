--- The completion that we show as grey text.  Owner of it: it follows what is typed, gives away pieces, and goes.
local M = {}

local api = vim.api
local space = api.nvim_create_namespace("palimpsest.ghost")

---@class palimpsest.Shown
---@field buffer integer
---@field row integer
---@field column integer of the cursor, in bytes
---@field after string the line behind the cursor
---@field choices palimpsest.Choice[]
---@field index integer

local now ---@type palimpsest.Shown?

---@return integer buffer, integer row, integer column, string line
function M.here()
  local cursor = api.nvim_win_get_cursor(0)
  return api.nvim_get_current_buf(), cursor[1] - 1, cursor[2], api.nvim_get_current_line()
end

---@return palimpsest.Choice?
function M.chosen()
  return now and now.choices[now.index]
end

function M.count()
  return now and #now.choices or 0
end

--- Not drawn for a while; it is drawn again when it next follows.
function M.cover()
  if now and api.nvim_buf_is_valid(now.buffer) then
    api.nvim_buf_clear_namespace(now.buffer, space, 0, -1)
  end
end

function M.hide()
  M.cover()
  now = nil
end

--- Tabs as they would be shown: virtual text shows none.
---@param column integer where it begins on the screen
local function expanded(text, column, width)
  local found = {}
  for part, tab in text:gmatch("([^\t]*)(\t?)") do
    column = column + vim.fn.strdisplaywidth(part)
    local spaces = tab ~= "" and width - column % width or 0
    column = column + spaces
    found[#found + 1] = part .. (" "):rep(spaces)
  end
  return table.concat(found)
end

--- `numbered`: with the number of the alternative behind it.
---@param numbered? boolean
local function draw(numbered)
  M.cover()
  local one = assert(now)
  local line = api.nvim_buf_get_lines(one.buffer, one.row, one.row + 1, false)[1] or ""
  local at, parts = vim.fn.strdisplaywidth(line:sub(1, one.column)), {}
  for index, part in ipairs(vim.split(one.choices[one.index].rest, "\n")) do
    parts[index] = { { expanded(part, index == 1 and at or 0, vim.bo[one.buffer].tabstop), "PalimpsestGhost" } }
  end
  if numbered then
    table.insert(parts[#parts], { ("  %d/%d"):format(one.index, #one.choices), "PalimpsestHint" })
  end
  api.nvim_buf_set_extmark(one.buffer, space, one.row, one.column, {
    virt_text = parts[1],
    virt_lines = #parts > 1 and vim.list_slice(parts, 2) or nil,
    virt_text_pos = "inline",
    hl_mode = "combine",
  })
end

--- Shows them at the cursor, the first one on top; hides what was there.
---@param choices palimpsest.Choice[]
function M.set(choices)
  M.hide()
  if #choices > 0 then
    local buffer, row, column, line = M.here()
    now = { buffer = buffer, row = row, column = column, after = line:sub(column + 1), choices = choices, index = 1 }
    draw(#choices > 1)
  end
end

function M.turn(by)
  if now then
    now.index = (now.index - 1 + by) % #now.choices + 1
    draw(true)
  end
end

--- Goes on without a piece that was typed or taken: the choices that begin with it, for as long as the chosen one is
--- among them and has more.
---@return boolean whether anything is shown
local function go_on(piece, row, column, line)
  local left, index = {}, nil
  for at, one in ipairs(assert(now).choices) do
    if vim.startswith(one.rest, piece) and #one.rest > #piece then
      local snippet = one.snippet and { value = one.snippet.value, typed = one.snippet.typed + #piece } or nil
      table.insert(left, vim.tbl_extend("force", one, { rest = one.rest:sub(#piece + 1), snippet = snippet }))
      index = at == now.index and #left or index
    end
  end
  if not index then
    M.hide()
    return false
  end
  now.choices, now.index, now.row, now.column, now.after = left, index, row, column, line:sub(column + 1)
  draw()
  return true
end

--- Keeps what still agrees with the line, as a person types on.
---@return boolean whether anything is shown
function M.follow()
  if not now then
    return false
  end
  local buffer, row, column, line = M.here()
  if buffer == now.buffer and row == now.row and column >= now.column and line:sub(column + 1) == now.after then
    return go_on(line:sub(now.column + 1, column), row, column, line)
  end
  M.hide()
  return false
end

--- A piece was inserted at the cursor, which is behind it now: shows the rest, which is no snippet any more.
---@param piece string
function M.taken(piece)
  if now then
    for _, one in ipairs(now.choices) do
      one.snippet = nil
    end
    local _, row, column, line = M.here()
    go_on(piece, row, column, line)
  end
end

return M
