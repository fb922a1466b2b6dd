--- What a person is told and asked: one sentence, and what to do.
local M = {}

local function ours(text)
  return text:find("^Palimpsest") and text or "Palimpsest: " .. text
end

function M.say(text, level)
  vim.notify(ours(text), level or vim.log.levels.INFO)
end

function M.warn(text)
  M.say(text, vim.log.levels.WARN)
end

function M.error(text)
  M.say(text, vim.log.levels.ERROR)
end

--- What the server says of a failure; the field that it names is one of a command, not of a person's.
---@param failure { message: string, code: integer }
function M.failed(failure)
  local text = failure.message
  if failure.code == vim.lsp.protocol.ErrorCodes.InvalidParams then
    text = text:gsub("^[%w_.]+: ", ""):gsub("^%l+%f[%s,]", function(word)
      return word:sub(1, 1):upper() .. word:sub(2)
    end)
  end
  M.error(text)
end

--- The same text once, for as long as this Neovim runs.
function M.once(text)
  vim.schedule(function()
    vim.notify_once(ours(text), vim.log.levels.WARN)
  end)
end

--- One of several; `done` is called if one is chosen.
---@generic T
---@param items T[]
---@param title fun(item: T): string
---@param done fun(item: T)
---@param none? string what is said where there are none
function M.choose(prompt, items, title, done, none)
  if none and #items == 0 then
    return M.say(none)
  end
  vim.ui.select(items, { prompt = prompt, format_item = title }, function(item)
    if item then
      done(item)
    end
  end)
end

--- A line of text; `done` is called if the person has not gone back.
---@param done fun(text: string)
---@param completion? string
function M.ask(prompt, done, completion)
  vim.ui.input({ prompt = prompt, completion = completion }, function(text)
    if text then
      done(text)
    end
  end)
end

return M
