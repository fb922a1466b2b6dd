--- What the server last said of itself; `User PalimpsestStatus` comes with each change.  Owner of the status.
local M = {}

local NOTHING = {
  kind = "Inactive",
  busy = false,
  message = "",
  model = "",
  tokens = { used = 0, total = 0 },
  last = { decoded = 0, reused = 0, ms = 0 },
  snoozed_until = 0,
}
local TALK = { used = 0, total = 0, kv = "", left = 0 }
local KINDS = { Normal = "ready", Warning = "degraded", Error = "off", Inactive = "off" }
local WORDS = { "loading", "ready", "busy", "degraded", "off" }

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

function M.told(status)
  local found = like(status, NOTHING)
  status = type(status) == "table" and status or {}
  found.kind = KINDS[found.kind] and found.kind or NOTHING.kind
  found.state = vim.list_contains(WORDS, status.state) and status.state or nil
  found.cause = like(status.cause, "")
  found.conversation = type(status.conversation) == "table" and like(status.conversation, TALK) or nil
  M.status = found
  M.changed()
end

--- There is no server.
function M.gone(message, is_error)
  M.status = vim.tbl_extend("force", NOTHING, { kind = is_error and "Error" or "Inactive", message = message })
  M.changed()
end

function M.changed()
  vim.api.nvim_exec_autocmds("User", { pattern = "PalimpsestStatus", modeline = false })
  vim.cmd.redrawstatus({ bang = true })
end

--- One word: loading, ready, busy, degraded or off.
function M.word()
  local status = M.status
  local is_busy = status.busy and status.kind == "Normal"
  return is_busy and "busy" or status.state or KINDS[status.kind]
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
