--- Where completions and next edits are off: everywhere, for a language, in a folder, in a buffer.  The server owns the
--- switches of completions; this is what it was told, so that nothing is asked for in vain.
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

local switched = { completion = none(), next_edit = none() } ---@type table<string, palimpsest.Switches>

---@param buffer integer
local function names(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  return { language = vim.bo[buffer].filetype, folder = vim.fs.dirname(name), buffer = name }
end

---@param feature "completion"|"next_edit"
---@param by_setting boolean
local function on(feature, buffer, by_setting)
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
  return by_setting or switches.everywhere == true
end

---@param buffer integer
function M.completes(buffer)
  local own = config.get().completion or {}
  local language = vim.bo[buffer].filetype
  return on(
    "completion",
    buffer,
    own.enabled ~= false and not vim.list_contains(own.disabled_languages or {}, language)
  )
end

---@param buffer integer
function M.edits_next(buffer)
  local own, all = config.get().next_edits, config.get()
  local language = vim.bo[buffer].filetype
  local server_on = (all.next_edit or {}).enabled ~= false
  return on(
    "next_edit",
    buffer,
    all.nextEdit.automatic and server_on and not vim.list_contains(own.disabled_languages, language)
  )
end

---@param feature "completion"|"next_edit"
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
