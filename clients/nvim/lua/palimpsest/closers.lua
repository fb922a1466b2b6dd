--- The cursor goes behind what closes: the brackets, quotes, `;` and `,` that follow it on its line.  Owner of where a
--- completion was last accepted.
local M = {}

local api = vim.api
local CLOSING = "^%s*[%)%]}\"'`;,]"

local accepted ---@type { buffer: integer, tick: integer, row: integer, column: integer }?

---@return { buffer: integer, tick: integer, row: integer, column: integer }
local function here()
  local buffer, cursor = api.nvim_get_current_buf(), api.nvim_win_get_cursor(0)
  return { buffer = buffer, tick = api.nvim_buf_get_changedtick(buffer), row = cursor[1], column = cursor[2] }
end

--- A completion was accepted, and the cursor is behind it.
function M.accepted()
  accepted = here()
end

--- How many bytes what closes takes behind the cursor.
local function length()
  local rest = api.nvim_get_current_line():sub(here().column + 1)
  local left = rest
  while left:find(CLOSING) do
    left = left:gsub(CLOSING, "", 1)
  end
  return #rest - #left
end

--- Whether something that closes follows where a completion was just accepted.
function M.follow()
  return accepted ~= nil and vim.deep_equal(accepted, here()) and length() > 0
end

---@return boolean whether there was something to jump over
function M.jump()
  local at, n = here(), length()
  if n > 0 then
    api.nvim_win_set_cursor(0, { at.row, at.column + n })
  end
  return n > 0
end

return M
