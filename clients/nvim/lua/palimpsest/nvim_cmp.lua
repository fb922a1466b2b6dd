--- A source for nvim-cmp: `require("cmp").register_source("palimpsest", require("palimpsest.nvim_cmp"))`.
local source = require("palimpsest.source")

local M = {}

function M.is_available()
  return source.is_available()
end

function M.get_position_encoding_kind()
  return "utf-8"
end

function M.get_trigger_characters()
  return source.TRIGGERS
end

function M.complete(_, _, callback)
  source.items(function(items)
    callback({ items = items, isIncomplete = true })
  end)
end

function M.execute(_, item, callback)
  source.accepted(item)
  callback(item)
end

return M
