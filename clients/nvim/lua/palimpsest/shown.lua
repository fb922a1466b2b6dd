--- The completion that we show.  Owner of it: it follows what is typed, gives away pieces, and goes.
local ghost = require("palimpsest.ghost")

local M = {}

local api = vim.api

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

---@return boolean
function M.any()
  return now ~= nil
end

---@return palimpsest.Choice?
function M.chosen()
  return now and now.choices[now.index]
end

---@return integer
function M.count()
  return now and #now.choices or 0
end

---@param hint? string
local function draw(hint)
  if now then
    ghost.show(now.buffer, now.row, now.column, now.choices[now.index].rest, hint)
  end
end

function M.hide()
  if now then
    ghost.hide(now.buffer)
    now = nil
  end
end

--- Not drawn for a while; it is drawn again when it next follows.
function M.cover()
  if now then
    ghost.hide(now.buffer)
  end
end

--- Shows them at the cursor, the first one on top; hides what was there.
---@param choices palimpsest.Choice[]
function M.set(choices)
  M.hide()
  if #choices > 0 then
    local buffer, row, column, line = M.here()
    now = { buffer = buffer, row = row, column = column, after = line:sub(column + 1), choices = choices, index = 1 }
    draw(#choices > 1 and ("  1/%d"):format(#choices) or nil)
  end
end

---@param by integer
function M.turn(by)
  if now then
    now.index = (now.index - 1 + by) % #now.choices + 1
    draw(("  %d/%d"):format(now.index, #now.choices))
  end
end

--- Choices that begin with a piece, without it; nil where the chosen one does not, or has no more.
---@param piece string
local function without(piece)
  local left, index = {}, nil
  for at, one in ipairs(assert(now).choices) do
    if vim.startswith(one.rest, piece) and #one.rest > #piece then
      local snippet = one.snippet and { value = one.snippet.value, typed = one.snippet.typed + #piece } or nil
      table.insert(left, vim.tbl_extend("force", one, { rest = one.rest:sub(#piece + 1), snippet = snippet }))
      index = at == now.index and #left or index
    end
  end
  return left, index
end

--- Keeps what still agrees with the line, as a person types on.
---@return boolean whether anything is shown
function M.follow()
  if not now then
    return false
  end
  local buffer, row, column, line = M.here()
  local same = buffer == now.buffer and row == now.row and column >= now.column and line:sub(column + 1) == now.after
  local left, index = {}, nil
  if same then
    left, index = without(line:sub(now.column + 1, column))
  end
  if not index then
    M.hide()
    return false
  end
  now.choices, now.index, now.column = left, index, column
  draw()
  return true
end

--- A piece was inserted at the cursor, which is behind it now: shows the rest.
---@param piece string
function M.taken(piece)
  local left, index = without(piece)
  if not now or not index then
    return M.hide()
  end
  local _, row, column, line = M.here()
  for _, one in ipairs(left) do
    one.snippet = nil
  end
  now.choices, now.index, now.row, now.column, now.after = left, index, row, column, line:sub(column + 1)
  draw()
end

return M
