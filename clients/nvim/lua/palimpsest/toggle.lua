--- Switching completions, next edits and edits on and off: everywhere, for the language, in the folder, in the buffer.
local client = require("palimpsest.client")
local switches = require("palimpsest.switches")
local tell = require("palimpsest.tell")

local M = {}

local FEATURES = { completion = "Completions", nextEdit = "Next edits", suggestion = "Edits" }

---@param scope string
---@param buffer integer
local function where(scope, buffer)
  if scope == "language" then
    return "for " .. vim.bo[buffer].filetype
  elseif scope == "folder" then
    return "in " .. vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ":h:~:.")
  elseif scope == "buffer" then
    return "in this buffer"
  end
  return "everywhere"
end

---@param feature palimpsest.Feature
---@param scope string
---@param buffer integer
---@param enabled boolean
local function set(feature, scope, buffer, enabled)
  switches.set(feature, scope, buffer, enabled)
  for _, one in ipairs(vim.lsp.get_clients({ name = client.name })) do
    for attached in pairs(one.attached_buffers) do
      if feature == "completion" then
        require("palimpsest.completion").switched(attached)
      elseif feature == "nextEdit" then
        require("palimpsest.next_edits").switched(attached)
      end
    end
  end
  tell.say(("%s are %s %s."):format(FEATURES[feature], enabled and "on" or "off", where(scope, buffer)))
end

---@param feature palimpsest.Feature
---@param scope string
---@param enabled? boolean nil: the other way than it is
function M.switch(feature, scope, enabled)
  local buffer = vim.api.nvim_get_current_buf()
  local argument = { feature = feature, scope = scope, uri = client.uri(buffer), enabled = enabled }
  client.command("palimpsest.toggle", argument, function(answer)
    if answer then
      set(feature, scope, buffer, answer.enabled)
    end
  end)
end

--- `:Palimpsest toggle [completion|nextEdit|suggestion] [everywhere|language|folder|buffer] [on|off]`; asks where
--- nothing is said.
---@param words string[]
function M.run(words)
  local feature, scope, enabled = "completion", nil, nil
  for _, word in ipairs(words) do
    if FEATURES[word] then
      feature = word
    elseif vim.list_contains(switches.SCOPES, word) then
      scope = word
    elseif word == "on" or word == "off" then
      enabled = word == "on"
    else
      return tell.say(("`%s` is no place to switch at: everywhere, language, folder, buffer."):format(word), 3)
    end
  end
  if scope then
    return M.switch(feature, scope, enabled)
  end
  local buffer = vim.api.nvim_get_current_buf()
  vim.ui.select(switches.SCOPES, {
    prompt = ("%s: switch them where?"):format(FEATURES[feature]),
    format_item = function(one)
      return where(one, buffer)
    end,
  }, function(chosen)
    if chosen then
      M.switch(feature, chosen, enabled)
    end
  end)
end

return M
