--- Inline completions: asks, accepts all or a part.  Where Neovim's own inline completion asks and draws
--- (`native.lua`), we do both as soon as a person does anything with it.
local client = require("palimpsest.client")
local config = require("palimpsest.config")
local events = require("palimpsest.events")
local native = require("palimpsest.native")
local repeats = require("palimpsest.repeats")
local shown = require("palimpsest.shown")

local M = {}

local api = vim.api
--- The first key is asked for at once; a burst of those that follow so soon is one question.
local BURST_MS = 60
local INVOKED, AUTOMATIC = 1, 2 -- LSP's kinds of triggers

local later, stop = events.pause()
local looked ---@type any[]? where we last thought of asking
local looked_at = 0 -- and when, in ms
local asked ---@type any[]? where the last question was

--- An answer for another place, or for what was typed since, is dropped.
local latest = client.latest("textDocument/inlineCompletion", shown.place)

local function cancel()
  stop()
  latest.cancel()
end

local function clear()
  cancel()
  looked, asked = nil, nil
  shown.hide()
end

---@param kind integer
---@param show fun(answer: any, encoding: string)
local function question(kind, show)
  if events.inserting() then
    asked = shown.place()
    latest.ask({ context = { triggerKind = kind } }, function(same, answer, one)
      if same then
        show(answer, one.offset_encoding)
      end
    end)
  end
end

--- What the server has for the cursor, for who shows it elsewhere: `done` is called once, with no choices where there
--- are none or a person has gone on.
---@param done fun(choices: palimpsest.Choice[])
function M.choices(done)
  latest.ask({ context = { triggerKind = AUTOMATIC } }, function(same, answer, one)
    local _, row, column, line = shown.here()
    done(same and shown.choices(answer, one.offset_encoding, row, column, line) or {})
  end)
end

--- Whether we ask by ourselves.
local function automatic(buffer)
  return config.get().completion.trigger == "automatic" and not shown.by_neovim(buffer)
end

--- Where a key shows it, the server is only to have it ready.
local function ask()
  question(AUTOMATIC, config.get().completion.show ~= "key" and shown.offer or function() end)
end

--- An answer to what was asked before is dropped by itself, and who shows it elsewhere may have asked the same already.
local function on_change(buffer)
  local here = shown.place()
  if vim.deep_equal(looked, here) then
    return -- several events tell of one key
  end
  stop()
  shown.follow()
  local time = vim.uv.now()
  local is_burst = time - looked_at < BURST_MS
  looked, looked_at = here, time
  if shown.has_place() and automatic(buffer) then
    local delay = config.get().completion.delay_ms
    later(delay > 0 and delay or is_burst and BURST_MS or 0, function()
      if api.nvim_get_current_buf() == buffer and shown.has_place() and not vim.deep_equal(asked, shown.place()) then
        ask()
      end
    end)
  end
end

--- Draws what is offered, but not while another plugin draws there.
local function on_menu()
  local buffer = api.nvim_get_current_buf()
  if not client.get(buffer) or not events.inserting() then
    return
  elseif shown.by_neovim(buffer) then
    native.follow(buffer)
  elseif not shown.follow() then
    looked = nil
    on_change(buffer)
  end
end

--- Where Neovim's own was switched off, since a person did something with what it showed, it asks again from the next
--- Insert mode on.
local function on_leave(buffer)
  clear()
  native.on(buffer)
end

local function again(buffer)
  if shown.by_neovim(buffer) then
    native.again(buffer)
  elseif automatic(buffer) or M.visible() then -- what was asked for by hand has alternatives by now
    ask()
  end
end

--- What is offered at a place is another completion than was answered: asks again where the cursor is still there.
---@param params { textDocument: { uri: string, version: integer }, position: lsp.Position }
function M.on_told(_, params)
  local buffer = api.nvim_get_current_buf()
  local one = events.inserting() and client.get(buffer)
  local here = one and { textDocument = client.document(buffer), position = client.position(one) }
  if vim.deep_equal(params, here) then
    again(buffer)
  end
end

--- Whether a completion is on the screen, or will be once Neovim has drawn what was typed.
function M.visible()
  return events.inserting() and shown.agrees() and shown.has_place()
end

--- Says that a part was taken; all of it is counted by the item's own command.
---@param one palimpsest.Choice
---@param piece string
function M.count(buffer, one, part, piece)
  require("palimpsest.closing").note()
  if part == "all" and one.command then
    return client.command(one.command.command, one.command.arguments[1], nil, { buffer = buffer, quiet = true })
  end
  local chars = vim.fn.strchars(piece)
  client.event("accepted", buffer, { what = "completion", part = part, chars = chars, id = one.id })
end

--- Accepts what is shown, or a part of it.
---@param part "word"|"line"|"all"
---@return boolean whether there was something
function M.accept(part)
  local one = shown.follow() and M.visible() and shown.chosen()
  if not one then
    return false
  end
  local buffer, row, column = shown.here()
  native.off(buffer)
  local piece = shown.piece(one.rest, part)
  local whole = #piece == #one.rest
  cancel()
  if whole and one.snippet then
    shown.hide()
    api.nvim_buf_set_text(buffer, row, column - #one.typed, row, column, { "" })
    vim.snippet.expand(one.snippet)
  else
    repeats.insert(piece)
    shown.taken(piece)
  end
  M.count(buffer, one, whole and "all" or part, piece)
  return true
end

--- Asks now, for several alternatives, from Normal mode behind the cursor.  What is shown stays until there
--- is an answer.
function M.ask()
  if not client.expect() then
    return
  elseif not events.inserting() then
    return api.nvim_feedkeys(vim.keycode("a<Cmd>lua require('palimpsest').complete()<CR>"), "n", false)
  end
  native.off(api.nvim_get_current_buf())
  shown.follow()
  require("palimpsest.next_edits").hide()
  question(INVOKED, function(...)
    shown.offer(...)
    if shown.count() == 0 then
      require("palimpsest.tell").say("nothing to complete here.")
    end
  end)
end

--- Shows what was prepared for the cursor while a person typed.
function M.reveal()
  cancel()
  require("palimpsest.next_edits").hide()
  question(AUTOMATIC, shown.offer)
end

--- The alternatives in turn; asks for them where there is only one.
function M.cycle(by)
  if shown.count() < 2 then
    return M.ask()
  end
  native.off(api.nvim_get_current_buf())
  shown.turn(by)
end

--- Hides it; it is counted as rejected.
function M.dismiss()
  local buffer, one = api.nvim_get_current_buf(), shown.chosen()
  native.off(buffer)
  clear()
  if one then
    client.event("rejected", buffer, { what = "completion", id = one.id })
  end
end

function M.attach(buffer)
  events.listen(buffer, {
    { { "InsertEnter", "CursorMovedI", "TextChangedI", "TextChangedP" }, on_change },
    { "InsertChange", vim.schedule_wrap(on_change) }, -- it is told of before the mode is another
    { { "InsertLeave", "BufLeave" }, on_leave },
  })
  events.on_menu("completion", on_menu)
  native.on(buffer)
  if api.nvim_get_current_buf() == buffer and events.inserting() then
    again(buffer) -- a person types before the server is there
  end
end

function M.detach(buffer)
  clear()
  if api.nvim_buf_is_valid(buffer) then
    native.off(buffer)
  end
end

return M
