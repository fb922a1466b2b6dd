--- A source for blink.cmp: `providers = { palimpsest = { module = "palimpsest.blink", async = true } }`.
local source = require("palimpsest.source")

local M = {}

function M.new()
  return setmetatable({}, { __index = M })
end

function M.enabled()
  return source.is_available()
end

function M.get_trigger_characters()
  return source.TRIGGERS
end

function M.get_completions(_, _, callback)
  source.items(function(items)
    callback({ items = items, is_incomplete_forward = true, is_incomplete_backward = true })
  end)
end

function M.execute(_, _, item, callback, insert)
  insert()
  source.accepted(item)
  callback()
end

return M
