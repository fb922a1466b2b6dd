--- Inline completions: asks, accepts all or a part.  Where Neovim's own inline completion asks and draws
--- (`native.lua`), we do both as soon as a person does anything with it.  Owner of where one was last accepted: behind
--- it, the cursor goes behind what closes, the brackets, quotes, `;` and `,` that follow it on its line.
local client = require("palimpsest.client")
local config = require("palimpsest.config")
local events = require("palimpsest.events")
local native = require("palimpsest.native")
local shown = require("palimpsest.shown")

local M = {}

local api = vim.api
--- Without Neovim's own delay: long enough that a burst of keys is one question.
local DELAY_MS = 60
local INVOKED, AUTOMATIC = 1, 2 -- LSP's kinds of triggers

local later, stop = events.pause()
local accepted ---@type any[]? where, and the text that it was in

--- Where the cursor is, and in which text.
local function place()
  local buffer, row, column = shown.here()
  return { buffer, row, column, api.nvim_buf_get_changedtick(buffer), events.inserting() }
end

--- An answer for another place, or for what was typed since, is dropped.
local latest = client.latest("textDocument/inlineCompletion", place)

local function cancel()
  stop()
  latest.cancel()
end

local function clear()
  cancel()
  shown.hide()
end

---@param kind integer
---@param show fun(answer: any, encoding: string)
local function question(kind, show)
  if events.inserting() then
    latest.ask({ context = { triggerKind = kind } }, function(same, answer, one)
      if same then
        show(answer, one.offset_encoding)
      end
    end)
  end
end

--- Whether we ask by ourselves.
local function automatic(buffer)
  return config.get().completion.trigger == "automatic" and not shown.by_neovim(buffer)
end

--- Where a key shows it, the server is only to have it ready.
local function ask()
  question(AUTOMATIC, config.get().completion.show ~= "key" and shown.offer or function() end)
end

local function on_change(buffer)
  shown.follow()
  if events.menu_is_open() and not config.get().inline.with_menu then
    shown.cover()
    return cancel()
  elseif automatic(buffer) then
    cancel()
    local delay = config.get().completion.delay_ms
    later(delay > 0 and delay or DELAY_MS, function()
      if api.nvim_get_current_buf() == buffer then
        ask()
      end
    end)
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
  elseif automatic(buffer) then
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

--- Whether a completion is on the screen.
function M.visible()
  return shown.count() > 0
end

--- Says that a part was taken; all of it is counted by the item's own command.
local function count(buffer, one, part, piece)
  accepted = place()
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
  local one = shown.follow() and shown.chosen()
  if not one then
    return false
  end
  local buffer, row, column = shown.here()
  native.off(buffer)
  local piece = shown.piece(one.rest, part)
  local whole = #piece == #one.rest
  cancel()
  shown.cover()
  if whole and one.snippet then
    shown.hide()
    api.nvim_buf_set_text(buffer, row, column - one.snippet.typed, row, column, { "" })
    vim.snippet.expand(one.snippet.value)
  else
    local lines = vim.split(piece, "\n")
    api.nvim_buf_set_text(buffer, row, column, row, column, lines)
    api.nvim_win_set_cursor(0, { row + #lines, (#lines == 1 and column or 0) + #lines[#lines] })
    shown.taken(piece)
  end
  count(buffer, one, whole and "all" or part, piece)
  return true
end

--- How many bytes what closes takes behind the cursor.
local function closing()
  local _, _, column, line = shown.here()
  return #(line:sub(column + 1):match("^[%s%)%]}\"'`;,]*"):match("^.*%S") or "")
end

--- Whether something that closes follows where a completion was just accepted.
function M.closes()
  return accepted ~= nil and vim.deep_equal(accepted, place()) and closing() > 0
end

---@return boolean whether there was something to jump over
function M.jump()
  local _, row, column = shown.here()
  local n = closing()
  if n > 0 then
    api.nvim_win_set_cursor(0, { row + 1, column + n })
  end
  return n > 0
end

--- Asks now, for several alternatives, from Normal mode behind the cursor.
function M.ask()
  if not client.expect() then
    return
  elseif not events.inserting() then
    return api.nvim_feedkeys(vim.keycode("a<Cmd>lua require('palimpsest').complete()<CR>"), "n", false)
  end
  native.off(api.nvim_get_current_buf())
  shown.hide()
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
    { { "InsertLeave", "BufLeave" }, on_leave },
  })
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
