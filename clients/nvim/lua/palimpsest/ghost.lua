--- Draws a completion as grey text at a place.  Knows nothing of where it comes from.
local M = {}

local space = vim.api.nvim_create_namespace("palimpsest.ghost")

--- Tabs as they would be shown: virtual text shows none.
---@param text string
---@param column integer where it begins on the screen
---@param width integer
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

---@param buffer integer
---@param row integer
---@param column integer in bytes
---@param text string
---@param hint? string shown behind it
function M.show(buffer, row, column, text, hint)
  M.hide(buffer)
  local line = vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1] or ""
  local at = vim.fn.strdisplaywidth(line:sub(1, column))
  local parts = {}
  for index, part in ipairs(vim.split(text, "\n", { plain = true })) do
    parts[index] = { { expanded(part, index == 1 and at or 0, vim.bo[buffer].tabstop), "PalimpsestGhost" } }
  end
  if hint then
    table.insert(parts[#parts], { hint, "PalimpsestHint" })
  end
  vim.api.nvim_buf_set_extmark(buffer, space, row, column, {
    virt_text = parts[1],
    virt_lines = #parts > 1 and vim.list_slice(parts, 2) or nil,
    virt_text_pos = "inline",
    hl_mode = "combine",
  })
end

---@param buffer integer
function M.hide(buffer)
  if vim.api.nvim_buf_is_valid(buffer) then
    vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  end
end

return M
