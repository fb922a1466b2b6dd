--- What a person is told: one sentence, and what to do.
local M = {}

local said = {} ---@type table<string, true>

---@param text string
---@param level? integer
function M.say(text, level)
  vim.notify(text:find("^Palimpsest") and text or ("Palimpsest: " .. text), level or vim.log.levels.INFO)
end

---@param text string
function M.warn(text)
  vim.schedule(function()
    M.say(text, vim.log.levels.WARN)
  end)
end

--- The same text once, for as long as this Neovim runs.
---@param text string
---@param level? integer
function M.once(text, level)
  if not said[text] then
    said[text] = true
    vim.schedule(function()
      M.say(text, level or vim.log.levels.WARN)
    end)
  end
end

return M
