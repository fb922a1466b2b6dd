--- Completion menus: Neovim's own, nvim-cmp's, blink.cmp's.
local M = {}

---@param name string
---@param call string
local function says(name, call)
  local plugin = package.loaded[name]
  return type(plugin) == "table" and type(plugin[call]) == "function" and plugin[call]() == true
end

---@return boolean
function M.is_open()
  return vim.fn.pumvisible() == 1 or says("cmp", "visible") or says("blink.cmp", "is_visible")
end

return M
