--- Which folder is the workspace.
local config = require("palimpsest.config")

local M = {}

--- The workspace of a path: the folder with a marker; without one the folder in which Neovim is, if the path is in it
--- and it is one that somebody chose: not a home folder, nor one around it, where all that a person has would be looked
--- through.
---@param path string
---@return string?
function M.of(path)
  local marked = vim.fs.root(path, config.get().root_markers)
  if marked then
    return marked
  end
  local here = vim.fs.normalize(vim.fn.getcwd())
  local is_chosen = not vim.fs.relpath(here, vim.fs.normalize(vim.uv.os_homedir() or "~"))
  return is_chosen and vim.fs.relpath(here, vim.fs.normalize(path)) and here or nil
end

return M
