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

local NOTHING = {
  kind = "Inactive",
  busy = false,
  message = "",
  model = "",
  tokens = { used = 0, total = 0 },
  last = { decoded = 0, reused = 0, ms = 0 },
}

M.status = NOTHING ---@type palimpsest.Status

local listeners = {} ---@type table<any, fun()>

---@param status palimpsest.Status
function M.told(status)
  M.status = vim.tbl_extend("force", NOTHING, status)
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
  local fallback = { Normal = "ready", Warning = "degraded", Error = "off", Inactive = "off" }
  return status.state or fallback[status.kind]
end

return M
