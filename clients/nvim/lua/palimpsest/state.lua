--- What the server last said of itself; `User PalimpsestStatus` comes with each change.  Owner of the status.
local events = require("palimpsest.events")

local M = {}

local COUNT_DOWN_MS = 5000
local later = events.pause()

local NOTHING = {
  kind = "Inactive",
  state = "off",
  cause = "",
  message = "",
  model = "",
  brief = "",
  figures = { cache = "", last = "", chat = "" },
  snoozed_until = 0,
}
local STATES = { "loading", "ready", "busy", "degraded", "off" }

M.status = NOTHING ---@type table

--- Fields of the same types as those that stand for nothing; in place of each other one, that one.  Texts are of one
--- line: they stand in status lines and rows.
local function like(given, nothing)
  if type(given) ~= type(nothing) then
    return nothing
  elseif type(nothing) == "table" then
    local found = {}
    for name, value in pairs(nothing) do
      found[name] = like(given[name], value)
    end
    return found
  end
  return type(given) == "string" and given:gsub("%c+", " ") or given
end

--- What is left of snoozing is counted down.
local function changed()
  vim.api.nvim_exec_autocmds("User", { pattern = "PalimpsestStatus", modeline = false })
  vim.cmd.redrawstatus({ bang = true })
  if M.snoozed() ~= "" then
    later(COUNT_DOWN_MS, changed)
  end
end

function M.told(status)
  M.status = like(status, NOTHING)
  if not vim.list_contains(STATES, M.status.state) then
    M.status.state = NOTHING.state
  end
  changed()
end

--- What is left of snoozing: `4 min`, `30 s`; "" where there is none.
function M.snoozed()
  local seconds = math.floor(M.status.snoozed_until) - os.time()
  if seconds <= 0 then
    return ""
  end
  return seconds > 60 and ("%d min"):format(math.ceil(seconds / 60)) or ("%d s"):format(seconds)
end

return M
