--- Autocommands of a part of ours in one buffer, all of which end together.
local M = {}

local api = vim.api

local function group_of(part, buffer)
  return ("palimpsest.%s.%d"):format(part, buffer)
end

---@param part string
---@param buffer integer
---@param calls { [1]: string[], [2]: fun(buffer: integer) }[]
function M.listen(part, buffer, calls)
  local group = api.nvim_create_augroup(group_of(part, buffer), { clear = true })
  for _, one in ipairs(calls) do
    api.nvim_create_autocmd(one[1], {
      group = group,
      buffer = buffer,
      callback = function()
        one[2](buffer)
      end,
    })
  end
end

---@param part string
---@param buffer integer
function M.close(part, buffer)
  pcall(api.nvim_del_augroup_by_name, group_of(part, buffer))
end

return M
