--- Right behind an undo or redo nothing is asked for unasked: who takes something back is not offered more.
local events = require("palimpsest.events")
local question = require("palimpsest.question")

local M = {}

---@class palimpsest.Undo
---@field tick integer of the text that was last seen
---@field number integer of the change that led to it
---@field newest integer the greatest such number: a change that is none of an undo or redo gets a greater one
---@field undone boolean

local seen = {} ---@type table<integer, palimpsest.Undo>

--- Of the current buffer, as all that asks is.
---@param buffer integer
local function look(buffer)
  local tick, number = vim.api.nvim_buf_get_changedtick(buffer), vim.fn.changenr()
  local last = seen[buffer]
  if not last then
    local newest = vim.fn.undotree().seq_last
    seen[buffer] = { tick = tick, number = number, newest = newest, undone = false }
  elseif tick ~= last.tick then
    last.undone = number ~= last.number and number <= last.newest
    last.tick, last.number, last.newest = tick, number, math.max(last.newest, number)
  end
end

---@param buffer integer
function M.attach(buffer)
  seen[buffer] = nil
  events.listen("undo", buffer, { { { "InsertEnter", "InsertLeave", "TextChanged", "TextChangedI" }, look } })
  vim.api.nvim_buf_call(buffer, function()
    look(buffer)
  end)
end

---@param buffer integer
function M.detach(buffer)
  events.close("undo", buffer)
  seen[buffer] = nil
end

--- Also what Neovim's own inline completion asks goes this way.
---@param one vim.lsp.Client
function M.guard(one)
  local request = one.request
  ---@diagnostic disable-next-line: duplicate-set-field
  one.request = function(self, method, params, ...)
    local buffer = vim.api.nvim_get_current_buf()
    if seen[buffer] and question.is_unasked(method, params) then
      look(buffer)
      if seen[buffer].undone then
        return false
      end
    end
    return request(self, method, params, ...)
  end
end

return M
