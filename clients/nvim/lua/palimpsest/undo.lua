--- Where completions are switched off nothing is asked for unasked, nor right behind an undo or redo: who takes
--- something back is not offered more.
local events = require("palimpsest.events")

local M = {}

---@class palimpsest.Undo
---@field number integer of the change that led to the text that was last seen
---@field newest integer the greatest such number: a change that is none of an undo or redo gets a greater one
---@field undone boolean

local seen = {} ---@type table<integer, palimpsest.Undo>

--- Of the current buffer, as all that asks is.
local function look(buffer)
  local number, last = vim.fn.changenr(), seen[buffer]
  if not last then
    seen[buffer] = { number = number, newest = vim.fn.undotree().seq_last, undone = false }
  elseif number ~= last.number then
    last.undone = number <= last.newest
    last.number, last.newest = number, math.max(last.newest, number)
  end
end

function M.attach(buffer)
  seen[buffer] = nil
  events.listen(buffer, { { { "InsertEnter", "InsertLeave", "TextChanged", "TextChangedI" }, look } })
  vim.api.nvim_buf_call(buffer, function()
    look(buffer)
  end)
end

function M.detach(buffer)
  seen[buffer] = nil
end

--- Also what Neovim's own inline completion asks goes this way.
function M.guard(one)
  local request = one.request
  ---@diagnostic disable-next-line: duplicate-set-field
  one.request = function(self, method, params, handler, ...)
    local buffer = vim.api.nvim_get_current_buf()
    local is_unasked = method == "textDocument/inlineCompletion" and params.context.triggerKind == 2
    if seen[buffer] and is_unasked then
      look(buffer)
      if seen[buffer].undone or not require("palimpsest.switches").completes(buffer) then
        return false
      elseif require("palimpsest.shown").by_neovim(buffer) then
        handler = require("palimpsest.native").hearing(one, handler, buffer)
      end
    end
    return request(self, method, params, handler, ...)
  end
end

return M
