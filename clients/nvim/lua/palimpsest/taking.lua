--- Puts a piece of a completion into the buffer and says that it was taken.  Keeps nothing.
local client = require("palimpsest.client")

local M = {}

local api = vim.api

--- Says that a part was taken; all of it is counted by the item's own command.
---@param one palimpsest.Choice
function M.count(buffer, one, part, piece)
  require("palimpsest.closers").accepted()
  local to = client.get(buffer)
  if not to then
    return
  end
  if part == "all" and one.command then
    return client.command(one.command.command, one.command.arguments[1], nil, { buffer = buffer, quiet = true })
  end
  local chars = vim.fn.strchars(piece)
  to:notify("palimpsest/event", { kind = "accepted", what = "completion", part = part, chars = chars, id = one.id })
end

--- At the cursor, which is behind it then.
---@param piece string
function M.insert(piece)
  local buffer, row, column = require("palimpsest.shown").here()
  local lines = vim.split(piece, "\n", { plain = true })
  api.nvim_buf_set_text(buffer, row, column, row, column, lines)
  api.nvim_win_set_cursor(0, { row + #lines, (#lines == 1 and column or 0) + #lines[#lines] })
end

return M
