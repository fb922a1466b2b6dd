--- Edits by the model: asks for them, shows what would change, has them applied by the server, which checks that the
--- lines still stand.  Owner of the last suggestions.
local client = require("palimpsest.client")
local config = require("palimpsest.config")
local diff = require("palimpsest.diff")
local tell = require("palimpsest.tell")

local M = {}

local last ---@type table?
local asking = false

--- What was changed is said with the edit itself.
local function say_what_is_unsaved(suggestion)
  local others = {}
  for _, document in ipairs(suggestion.documents) do
    local buffer = vim.uri_to_bufnr(document.uri)
    if buffer ~= vim.api.nvim_get_current_buf() and vim.bo[buffer].modified then
      table.insert(others, vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ":~:."))
    end
  end
  if #others > 0 then
    tell.say(("changed and not saved: %s (`:wall` saves all)."):format(table.concat(others, ", ")))
  end
end

--- An edit that the server asks for, with its label said as all that we say; Neovim would print it in its own way.
function M.on_asked(error, asked, context)
  local label = asked.label
  asked.label = nil
  local result = vim.lsp.handlers["workspace/applyEdit"](error, asked, context)
  if label and result.applied then
    tell.say(label)
  end
  return result
end

--- Applies all of it or nothing.
---@param confirmed boolean the person has seen all of it
function M.apply(suggestion, confirmed)
  last = suggestion
  client.command("palimpsest.suggest.accept", { id = suggestion.id, confirmed = confirmed }, function(answer)
    if answer.applied then
      say_what_is_unsaved(suggestion)
    elseif answer.reason then
      tell.warn(answer.reason)
    end
  end)
end

--- An instruction, if there is one.
local function joined(words)
  return words and #words > 0 and table.concat(words, " ") or nil
end

---@param uri string of the document it was asked about
local function shows_first(suggestion, uri)
  local preview, documents = config.get().edits.preview, suggestion.documents
  return preview == "always" or preview == "others" and (#documents > 1 or documents[1].uri ~= uri)
end

---@param uri? string of the document it is about, if that is not asked
local function ask(command, asked, uri)
  if asking then
    return tell.say("an edit is being made; it can be asked for again when that has come.")
  end
  asking = true
  client.command("palimpsest." .. command, asked, function(answer)
    local first, is_several = answer.suggestions[1], asked.n ~= nil
    last = first or last
    if not first then
      tell.say(answer.why_not)
    elseif is_several or shows_first(first, uri or asked.uri) then
      diff.open(answer.suggestions, is_several)
    else
      M.apply(first, false)
    end
  end, {
    finally = function()
      asking = false
    end,
  })
end

--- The lines of a range that a person gave, or of the selection.
---@param arguments? table of the user command
local function selected(arguments, one)
  local first, to = vim.fn.line("v"), vim.fn.line(".")
  if arguments and arguments.range and arguments.range > 0 then
    first, to = arguments.line1, arguments.line2
  elseif vim.api.nvim_get_mode().mode:find("^[vV\22]") then
    vim.cmd.normal({ vim.keycode("<Esc>"), bang = true })
  else
    return nil
  end
  first, to = math.min(first, to), math.max(first, to)
  local width = vim.str_utfindex(vim.fn.getline(to), one.offset_encoding)
  return { start = { line = first - 1, character = 0 }, ["end"] = { line = to - 1, character = width } }
end

--- Asks for an edit of the code at the cursor, or of the selected lines.
---@param words? string[] an instruction
---@param arguments? table of the user command
---@param n? integer how many, side by side
---@param is_told? boolean an instruction is asked for where there is none
local function suggest(words, arguments, n, is_told)
  local one = client.expect(0)
  if not one then
    return
  end
  local range = selected(arguments, one)
  local asked = { uri = vim.uri_from_bufnr(0), position = range and range.start or client.position(one), range = range }
  asked.n, asked.instruction = n, joined(words)
  if asked.instruction or not is_told then
    return ask("suggest", asked)
  end
  tell.ask("What shall be done? ", function(instruction)
    asked.instruction = instruction
    if vim.trim(instruction) ~= "" then
      ask("suggest", asked)
    end
  end)
end

M.here = suggest

function M.with_instruction(words, arguments)
  suggest(words, arguments, nil, true)
end

function M.alternatives(words, arguments)
  suggest(words, arguments, config.get().edits.alternatives)
end

--- What a code action of the server asks for: the same, with the diff first.
function M.from_action(asked)
  ask("suggest", asked)
end

--- With the one that is shown, whose diff is closed, else the one that was offered last.
---@param act fun(one: table, words?: string[])
local function with_last(act)
  return function(words)
    last = diff.current() or last
    if not last then
      return tell.say("there is no edit yet. `:Palimpsest edit` asks for one.")
    end
    diff.close()
    act(last, words)
  end
end

--- Applies the one that is shown.
M.accept = with_last(function(one)
  M.apply(one, true)
end)

--- It is not offered again for that text.
M.reject = with_last(function(one)
  client.command("palimpsest.suggest.reject", { id = one.id }, function()
    tell.say("rejected; it is not offered again for that text.")
  end)
end)

--- The same question again.
M.again = with_last(function(one)
  ask("suggest.rerun", { id = one.id }, one.uri)
end)

--- Goes on from it, or finishes one that was cut off; `words` may be an instruction.
M.go_on = with_last(function(one, words)
  ask("suggest.continue", { id = one.id, instruction = joined(words) }, one.uri)
end)

return M
