--- What closes: the brackets, quotes, `;` and `,` that follow the cursor on its line, and going behind them.  Owner of
--- where a completion was last accepted.
local shown = require("palimpsest.shown")

local M = {}

local accepted ---@type any[]? where, and the text that it was in

--- A completion was accepted, and the cursor is behind it.
function M.note()
  accepted = shown.place()
end

--- How many bytes it takes.
local function length()
  local _, _, column, line = shown.here()
  return #(line:sub(column + 1):match("^[%s%)%]}\"'`;,]*"):match("^.*%S") or "")
end

--- Whether something that closes follows where a completion was just accepted.
function M.is_due()
  return accepted ~= nil and vim.deep_equal(accepted, shown.place()) and length() > 0
end

---@return boolean whether there was something to jump over
function M.jump()
  local _, row, column = shown.here()
  local n = length()
  if n > 0 then
    vim.api.nvim_win_set_cursor(0, { row + 1, column + n })
  end
  return n > 0
end

return M
