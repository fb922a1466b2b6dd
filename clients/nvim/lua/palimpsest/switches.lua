--- Where completions and next edits are off: everywhere, for a language, in a folder, in a buffer.  The server owns the
--- switches; this is what it was told, so that nothing is asked for in vain.
local config = require("palimpsest.config")

local M = {}

M.SCOPES = { "everywhere", "language", "folder", "buffer" }

---@class palimpsest.Switches
---@field everywhere? boolean
---@field language table<string, boolean>
---@field folder table<string, boolean>
---@field buffer table<string, boolean>

---@return palimpsest.Switches
local function none()
  return { language = {}, folder = {}, buffer = {} }
end

---@alias palimpsest.Feature "completion"|"nextEdit"|"suggestion"
---@type table<palimpsest.Feature, palimpsest.Switches>
local switched = { completion = none(), nextEdit = none(), suggestion = none() }

---@param buffer integer
local function names(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  return { language = vim.bo[buffer].filetype, folder = vim.fs.dirname(name), buffer = name }
end

---@param feature palimpsest.Feature
---@param settings { enabled?: boolean, disabled_languages?: string[] }?
local function on(feature, buffer, settings)
  local switches, name = switched[feature], names(buffer)
  if switches.buffer[name.buffer] ~= nil then
    return switches.buffer[name.buffer]
  end
  local folder = name.folder
  while folder and folder ~= vim.fs.dirname(folder) do
    if switches.folder[folder] ~= nil then
      return switches.folder[folder]
    end
    folder = vim.fs.dirname(folder)
  end
  if switches.language[name.language] ~= nil then
    return switches.language[name.language]
  end
  if switches.everywhere ~= nil and not switches.everywhere then
    return false
  end
  settings = settings or {}
  local by_setting = settings.enabled ~= false
    and not vim.list_contains(settings.disabled_languages or {}, name.language)
  return by_setting or switches.everywhere == true
end

---@param buffer integer
function M.completes(buffer)
  return on("completion", buffer, config.get().completion)
end

---@param buffer integer
function M.edits_next(buffer)
  return config.get().nextEdit.automatic and on("nextEdit", buffer, config.get().next_edit)
end

---@param feature palimpsest.Feature
---@param scope string
---@param buffer integer
---@param enabled boolean
function M.set(feature, scope, buffer, enabled)
  if scope == "everywhere" then
    switched[feature] = none()
    switched[feature].everywhere = enabled
  else
    switched[feature][scope][names(buffer)[scope]] = enabled
  end
end

return M
