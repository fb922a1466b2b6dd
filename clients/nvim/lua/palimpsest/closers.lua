--- The cursor goes behind what closes: the brackets, quotes, `;` and `,` that follow it on its line.  Owner of where a
--- completion was last accepted.
local M = {}

local api = vim.api

local accepted ---@type integer[]? buffer, tick, row, column

local function here()
  local buffer, cursor = api.nvim_get_current_buf(), api.nvim_win_get_cursor(0)
  return { buffer, api.nvim_buf_get_changedtick(buffer), cursor[1], cursor[2] }
end

--- A completion was accepted, and the cursor is behind it.
function M.accepted()
  accepted = here()
end

--- How many bytes what closes takes behind the cursor.
local function length()
  local rest = api.nvim_get_current_line():sub(here()[4] + 1)
  local closing = rest:match("^[%s%)%]}\"'`;,]*"):match("^.*%S") or ""
  return #closing
end

--- Whether something that closes follows where a completion was just accepted.
function M.follow()
  return accepted ~= nil and vim.deep_equal(accepted, here()) and length() > 0
end

---@return boolean whether there was something to jump over
function M.jump()
  local at, n = here(), length()
  if n > 0 then
    api.nvim_win_set_cursor(0, { at[3], at[4] + n })
  end
  return n > 0
end

return M
