--- Budgets as bars, and what the last event decoded against what it reused.  Keeps nothing.
local scratch = require("palimpsest.scratch")

local M = {}

local BAR = 14
local NAMES = { all = "context", system = "instructions", blocks = "blocks", tail = "at the cursor" }

---@param used integer
---@param total integer
---@param name string
---@return palimpsest.Row
local function budget(name, used, total)
  local filled, free = scratch.bar(total > 0 and used / total or 0, BAR)
  return {
    { ("%-14s"):format(NAMES[name]) },
    { filled, "PalimpsestKindClass" },
    { free, "PalimpsestFree" },
    { (" %d / %d"):format(used, total), "PalimpsestDim" },
  }
end

---@param usage table
---@param rows palimpsest.Row[]
function M.usage(usage, rows)
  table.insert(rows, { { "Budgets", "PalimpsestTitle" }, { usage.estimated and "  estimated" or "", "PalimpsestDim" } })
  table.insert(rows, budget("all", usage.used, usage.total))
  for _, name in ipairs({ "system", "blocks", "tail" }) do
    local part = (usage.parts or {})[name]
    if type(part) == "table" then
      table.insert(rows, budget(name, part.used, part.budget or usage.total))
    elseif type(part) == "number" then
      table.insert(rows, budget(name, part, (usage.budgets or {})[name] or usage.total))
    end
  end
  table.insert(rows, { { "" } })
end

---@param rows palimpsest.Row[]
function M.last_event(rows)
  local last = require("palimpsest.state").status.last
  local sum = last.decoded + last.reused
  if sum > 0 then
    local filled, free = scratch.bar(last.reused / sum, BAR)
    table.insert(rows, {
      { ("%-14s"):format("last answer") },
      { filled, "PalimpsestReady" },
      { free, "PalimpsestBusy" },
      { (" %d decoded, %d reused, %d ms"):format(last.decoded, last.reused, last.ms), "PalimpsestDim" },
    })
    table.insert(rows, { { "" } })
  end
end

return M
