--- Completion menus: Neovim's own, nvim-cmp's, blink.cmp's.
local M = {}

local function says(name, call)
  local plugin = package.loaded[name]
  return type(plugin) == "table" and type(plugin[call]) == "function" and plugin[call]() == true
end

function M.is_open()
  return vim.fn.pumvisible() == 1 or says("cmp", "visible") or says("blink.cmp", "is_visible")
end

return M
