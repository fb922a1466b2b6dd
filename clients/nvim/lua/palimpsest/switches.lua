--- Where completions and next edits are off: everywhere, for a language, in a folder, in a buffer; and snoozing
--- completions.  The server owns the switches; this is what it was told, so that nothing is asked for in vain.  Nor is
--- completed unasked right behind an undo or redo (who takes something back is not offered more) or beside a next edit.
local client = require("palimpsest.client")
local config = require("palimpsest.config")
local events = require("palimpsest.events")
local tell = require("palimpsest.tell")

local M = {}

local SCOPES = { "everywhere", "language", "folder", "buffer" }
local FEATURES = { completion = "Completions", nextEdit = "Next edits", suggestion = "Edits" }

---@alias palimpsest.Feature "completion"|"nextEdit"|"suggestion"

--- By feature and what was switched, as `around` has it.
---@type table<palimpsest.Feature, table<string, boolean>>
local switched = { completion = {}, nextEdit = {}, suggestion = {} }

---@class palimpsest.Undo
---@field number integer of the change that led to the text that was last seen
---@field newest integer the greatest such number: a change that is none of an undo or redo gets a greater one
---@field undone boolean

local seen = {} ---@type table<integer, palimpsest.Undo>

--- What is switched at a buffer, the nearest first.
local function around(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  local found = { "buffer " .. name }
  for folder in vim.fs.parents(name) do
    table.insert(found, "folder " .. folder)
  end
  return vim.list_extend(found, { "language " .. vim.bo[buffer].filetype, "everywhere" })
end

--- By the nearest switch; without one, by the settings.
---@param feature palimpsest.Feature
---@param settings? { enabled?: boolean, disabled_languages?: string[] }
local function on(feature, buffer, settings)
  for _, one in ipairs(around(buffer)) do
    if switched[feature][one] ~= nil then
      return switched[feature][one]
    end
  end
  local off = settings and settings.disabled_languages or {}
  return (settings or {}).enabled ~= false and not vim.list_contains(off, vim.bo[buffer].filetype)
end

function M.completes(buffer)
  return on("completion", buffer, config.get().completion)
end

function M.edits_next(buffer)
  return config.get().nextEdit.automatic and on("nextEdit", buffer, config.get().next_edit)
end

local function where(scope, buffer)
  local text = {
    everywhere = "everywhere",
    language = "for " .. vim.bo[buffer].filetype,
    folder = "in " .. vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ":h:~:."),
    buffer = "in this buffer",
  }
  return text[scope]
end

---@param enabled? boolean nil: the other way than it is
local function switch(feature, scope, enabled)
  local buffer = vim.api.nvim_get_current_buf()
  local asked = { feature = feature, scope = scope, uri = vim.uri_from_bufnr(buffer), enabled = enabled }
  client.command("palimpsest.toggle", asked, function(answer)
    if scope == "everywhere" then -- what was switched nearer goes
      switched[feature] = {}
    end
    local here = vim.iter(around(buffer)):find(function(one)
      return vim.startswith(one, scope)
    end)
    switched[feature][here] = answer.enabled
    require("palimpsest.start").again()
    tell.say(("%s are %s %s."):format(FEATURES[feature], answer.enabled and "on" or "off", where(scope, buffer)))
  end)
end

--- `:Palimpsest toggle [completion|nextEdit|suggestion] [everywhere|language|folder|buffer] [on|off]`; asks where
--- nothing is said.
function M.toggle(words)
  local feature, scope, enabled = "completion", nil, nil
  for _, word in ipairs(words) do
    if FEATURES[word] then
      feature = word
    elseif word == "on" or word == "off" then
      enabled = word == "on"
    else
      scope = word -- the server says what is none
    end
  end
  if scope then
    return switch(feature, scope, enabled)
  end
  local buffer = vim.api.nvim_get_current_buf()
  tell.choose(("%s: switch them where?"):format(FEATURES[feature]), SCOPES, function(one)
    return where(one, buffer)
  end, function(chosen)
    switch(feature, chosen, enabled)
  end)
end

--- `:Palimpsest snooze [minutes]`; what is shown goes, too.
function M.snooze(words)
  client.command("palimpsest.completion.snooze", { minutes = tonumber(words[1]) or words[1] }, function(answer)
    tell.say(answer.says .. ".")
    if answer["until"] > 0 then
      require("palimpsest.start").again()
    end
  end)
end

--- Of the current buffer, as all that asks is.
local function look(buffer)
  local number, last = vim.fn.changenr(), seen[buffer]
  if not last then
    seen[buffer] = { number = number, newest = vim.fn.undotree().seq_last, undone = false }
  elseif number ~= last.number then
    last.undone = number <= last.newest
    last.number, last.newest = number, math.max(last.newest, number)
  end
end

function M.attach(buffer)
  seen[buffer] = nil
  events.listen(buffer, { { { "InsertEnter", "InsertLeave", "TextChanged", "TextChangedI" }, look } })
  vim.api.nvim_buf_call(buffer, function()
    look(buffer)
  end)
end

function M.detach(buffer)
  seen[buffer] = nil
end

--- Also what Neovim's own inline completion asks goes this way.
function M.guard(one)
  local request = one.request
  ---@diagnostic disable-next-line: duplicate-set-field
  one.request = function(self, method, params, handler, ...)
    local buffer = vim.api.nvim_get_current_buf()
    local is_unasked = method == "textDocument/inlineCompletion" and params.context.triggerKind == 2
    if seen[buffer] and is_unasked then
      look(buffer)
      if seen[buffer].undone or not M.completes(buffer) or require("palimpsest.next_edits").visible() then
        return false
      elseif require("palimpsest.shown").by_neovim(buffer) then
        handler = require("palimpsest.native").hearing(one, handler, buffer)
      end
    end
    return request(self, method, params, handler, ...)
  end
end

return M
