--- Edits by the model: asks for them, shows what would change, has them applied by the server, which checks that the
--- lines still stand.  Owner of the last suggestions.
local client = require("palimpsest.client")
local config = require("palimpsest.config")
local tell = require("palimpsest.tell")

local M = {}

---@class palimpsest.Suggestion
---@field id string
---@field name string
---@field uri string
---@field edit lsp.WorkspaceEdit
---@field agreement number
---@field summary string
---@field flags string[]
---@field documents { uri: string, names: string[], open: boolean }[]
---@field diff string

local last ---@type palimpsest.Suggestion?
local asking = false

---@return palimpsest.Suggestion?
function M.last()
  return last
end

---@param suggestion palimpsest.Suggestion
function M.choose(suggestion)
  last = suggestion
end

---@param suggestion palimpsest.Suggestion
local function applied(suggestion)
  local others = {}
  for _, document in ipairs(suggestion.documents) do
    local buffer = vim.uri_to_bufnr(document.uri)
    if buffer ~= vim.api.nvim_get_current_buf() and vim.bo[buffer].modified then
      table.insert(others, vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ":~:."))
    end
  end
  local text = suggestion.summary ~= "" and suggestion.summary or "Applied."
  if #others > 0 then
    text = ("%s Changed and not saved: %s (`:wall` saves all)."):format(text, table.concat(others, ", "))
  end
  tell.say(text)
end

--- Applies all of it or nothing.
---@param suggestion palimpsest.Suggestion
---@param confirmed boolean the person has seen all of it
---@param done? fun(applied: boolean)
function M.apply(suggestion, confirmed, done)
  last = suggestion
  client.command("palimpsest.suggest.accept", { id = suggestion.id, confirmed = confirmed }, function(answer)
    if answer and answer.applied then
      applied(suggestion)
    elseif answer and answer.reason then
      tell.say(answer.reason, vim.log.levels.WARN)
    end
    if done then
      done(answer ~= nil and answer.applied == true)
    end
  end)
end

---@param suggestion palimpsest.Suggestion
---@param uri string of the document it was asked about
local function shows_first(suggestion, uri)
  local preview = config.get().edits.preview
  if preview ~= "others" then
    return preview == "always"
  end
  return vim.iter(suggestion.documents):any(function(document)
    return document.uri ~= uri
  end)
end

---@param answer { suggestions: palimpsest.Suggestion[], refused: { name: string, reason: string }[] }?
---@param uri string
---@param side_by_side boolean
local function receive(answer, uri, side_by_side)
  if not answer then
    return
  end
  local first = answer.suggestions[1]
  if not first then
    local why = answer.refused[1] and ("no edit: " .. answer.refused[1].reason) or "nothing to suggest here."
    return tell.say(why)
  end
  last = first
  if side_by_side or shows_first(first, uri) then
    require("palimpsest.diff").open(answer.suggestions, side_by_side)
  else
    M.apply(first, false)
  end
end

---@param command string
---@param argument table
---@param uri string
---@param side_by_side? boolean
local function ask(command, argument, uri, side_by_side)
  if asking then
    return tell.say("an edit is being made; it can be asked for again when that has come.")
  end
  asking = true
  local id = client.command(command, argument, function(answer)
    asking = false
    receive(answer, uri, side_by_side == true)
  end)
  if not id then
    asking = false
  end
end

--- The lines of a range that a person gave, or of the selection.
---@param arguments? table of the user command
---@param one vim.lsp.Client
local function selected(arguments, one)
  local first, last_line
  if arguments and arguments.range and arguments.range > 0 then
    first, last_line = arguments.line1, arguments.line2
  elseif vim.api.nvim_get_mode().mode:find("^[vV\22]") then
    first, last_line = vim.fn.line("v"), vim.fn.line(".")
    first, last_line = math.min(first, last_line), math.max(first, last_line)
    vim.cmd.normal({ vim.keycode("<Esc>"), bang = true })
  end
  if not first then
    return nil
  end
  local text = vim.fn.getline(last_line)
  local width = vim.str_utfindex(text, one.offset_encoding)
  return {
    start = { line = first - 1, character = 0 },
    ["end"] = { line = last_line - 1, character = width },
  }
end

---@param arguments? table
---@return table?
local function question(arguments)
  local buffer = vim.api.nvim_get_current_buf()
  local one = client.expect(buffer)
  if not one then
    return nil
  end
  local range = selected(arguments, one)
  local position = range and range.start or client.position(one)
  return { uri = client.uri(buffer), position = position, range = range }
end

--- An edit of the code at the cursor, or of the selected lines.
---@param words? string[] an instruction
---@param arguments? table
function M.here(words, arguments)
  local asked = question(arguments)
  if asked then
    asked.instruction = words and #words > 0 and table.concat(words, " ") or nil
    ask("palimpsest.suggest", asked, asked.uri)
  end
end

---@param words? string[] the instruction; asked for where there is none
---@param arguments? table
function M.with_instruction(words, arguments)
  local asked = question(arguments)
  if not asked then
    return
  end
  local function go(instruction)
    if instruction and vim.trim(instruction) ~= "" then
      asked.instruction = instruction
      ask("palimpsest.suggest", asked, asked.uri)
    end
  end
  if words and #words > 0 then
    return go(table.concat(words, " "))
  end
  vim.ui.input({ prompt = "What shall be done? " }, go)
end

---@param words? string[] an instruction
---@param arguments? table
function M.alternatives(words, arguments)
  local asked = question(arguments)
  if asked then
    asked.n = config.get().edits.alternatives
    asked.instruction = words and #words > 0 and table.concat(words, " ") or nil
    ask("palimpsest.suggest", asked, asked.uri, true)
  end
end

--- What a code action of the server asks for: the same, with the diff first.
---@param asked table
function M.from_action(asked)
  ask("palimpsest.suggest", asked, asked.uri)
end

---@return palimpsest.Suggestion?
local function expect_last()
  if not last then
    tell.say("there is no edit yet. `:Palimpsest edit` asks for one.")
  end
  return last
end

--- Applies the one that is shown.
function M.accept()
  local one = expect_last()
  if one then
    require("palimpsest.diff").close()
    M.apply(one, true)
  end
end

--- It is not offered again for that text.
function M.reject()
  local one = expect_last()
  if one then
    require("palimpsest.diff").close()
    client.command("palimpsest.suggest.reject", { id = one.id }, function(answer)
      if answer then
        tell.say("rejected; it is not offered again for that text.")
      end
    end)
  end
end

--- The same question again.
function M.again()
  local one = expect_last()
  if one then
    require("palimpsest.diff").close()
    ask("palimpsest.suggest.rerun", { id = one.id }, one.uri)
  end
end

--- Goes on from it, or finishes one that was cut off.
---@param words? string[] an instruction
function M.go_on(words)
  local one = expect_last()
  if one then
    require("palimpsest.diff").close()
    local instruction = words and #words > 0 and table.concat(words, " ") or nil
    ask("palimpsest.suggest.continue", { id = one.id, instruction = instruction }, one.uri)
  end
end

return M
