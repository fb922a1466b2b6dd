--- What the server last said of itself, and who wants to know.  Owner of the status.
local M = {}

---@class palimpsest.Status
---@field kind "Normal"|"Error"|"Warning"|"Inactive"
---@field state? "loading"|"ready"|"busy"|"degraded"|"off"
---@field cause? string
---@field restart? boolean
---@field busy boolean
---@field message string
---@field model string
---@field tokens { used: integer, total: integer }
---@field last { decoded: integer, reused: integer, ms: number }
---@field snoozed_until number
---@field conversation? { conversation: string, used: integer, total: integer, kv: "leave"|"decode", left: integer }

local NOTHING = {
  kind = "Inactive",
  busy = false,
  message = "",
  model = "",
  tokens = { used = 0, total = 0 },
  last = { decoded = 0, reused = 0, ms = 0 },
  snoozed_until = 0,
}

local KINDS = { Normal = "ready", Warning = "degraded", Error = "off", Inactive = "off" }

M.status = NOTHING ---@type palimpsest.Status

local listeners = {} ---@type table<any, fun()>

local WORDS = { "loading", "ready", "busy", "degraded", "off" }

--- Fields of the same types as those that stand for nothing; in place of each other one, that one.
---@param given any
---@param nothing table
local function like(given, nothing)
  local found = {}
  for name, value in pairs(nothing) do
    local one = type(given) == "table" and given[name] or nil
    if type(value) == "table" then
      found[name] = like(one, value)
    else
      found[name] = type(one) == type(value) and one or value
    end
  end
  return found
end

--- Texts are of one line: they stand in status lines and rows.
---@param status table
local function in_lines(status)
  for name, value in pairs(status) do
    status[name] = type(value) == "string" and value:gsub("%c+", " ") or value
  end
  return status
end

---@param status palimpsest.Status
function M.told(status)
  local found = in_lines(like(status, NOTHING))
  if not KINDS[found.kind] then
    found.kind = NOTHING.kind
  end
  if type(status) == "table" then
    found.state = vim.list_contains(WORDS, status.state) and status.state or nil
    found.cause = type(status.cause) == "string" and status.cause:gsub("%c+", " ") or nil
    found.restart = status.restart == true
  end
  M.status = found
  M.changed()
end

--- There is no server.
---@param message string
---@param is_error? boolean
function M.gone(message, is_error)
  M.status = vim.tbl_extend("force", NOTHING, { kind = is_error and "Error" or "Inactive", message = message })
  M.changed()
end

function M.changed()
  for _, listener in pairs(listeners) do
    listener()
  end
  vim.api.nvim_exec_autocmds("User", { pattern = "PalimpsestStatus", modeline = false })
  vim.cmd.redrawstatus({ bang = true })
end

--- Told of each new status; nil ends that.
---@param who any
---@param listener? fun()
function M.listen(who, listener)
  listeners[who] = listener
end

--- One word: loading, ready, busy, degraded or off.
---@return string
function M.word()
  local status = M.status
  if status.busy and status.kind == "Normal" then
    return "busy"
  end
  return status.state or KINDS[status.kind]
end

return M
