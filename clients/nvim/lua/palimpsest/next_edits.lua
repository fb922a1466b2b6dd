--- Next edits: asks for the place that should follow what was edited, has it drawn, jumps there, makes it.  Owner of
--- the one that is offered.
local client = require("palimpsest.client")
local config = require("palimpsest.config")
local events = require("palimpsest.events")
local place = require("palimpsest.next_edit_place")
local switches = require("palimpsest.switches")
local tell = require("palimpsest.tell")
local view = require("palimpsest.next_edit_view")

local M = {}

local api = vim.api

local offered ---@type palimpsest.Offered?
local waiting ---@type integer? a buffer that a jump has opened: asked about when the server knows it
local asked = {} ---@type table<integer, integer> of each buffer the text that was last asked about
local later, stop = events.pause()

local function clear()
  offered = nil
  view.clear()
end

--- A snippet is being filled in, or grey text is shown.
local function is_busy()
  return events.in_snippet() or (events.inserting() and require("palimpsest.completion").visible())
end

--- Whether one is shown.
function M.visible()
  return offered ~= nil and not events.menu_is_open() and not is_busy()
end

function M.current()
  return offered and offered.edit
end

--- Draws what is offered, but nothing below a completion menu.
local function show()
  if M.visible() then
    view.draw(assert(offered))
  elseif offered then
    view.clear()
  end
end

--- What is typed of it is taken off it; any other change of its text takes it away.
---@param now palimpsest.Offered
local function follow(now)
  local left = place.smallest(now.buffer, assert(now.place))
  local soon = vim.schedule_wrap(function()
    if not offered then
      view.clear()
    end
  end)
  local function lose()
    if offered == now then
      offered = nil
      soon()
    end
    return true
  end
  api.nvim_buf_attach(now.buffer, false, {
    on_bytes = function(_, buffer, _, row, column, _, old_row, old_column, _, new_row, new_column)
      local change = { row = row, column = column, old = { old_row, old_column }, new = { new_row, new_column } }
      local rest = offered == now and place.rest(buffer, left, change)
      if not rest then
        return lose()
      end
      left, now.place = rest, rest
    end,
    on_reload = lose,
    on_detach = lose,
  })
end

--- The text that a person has before them.
local function text()
  local buffer = api.nvim_get_current_buf()
  return { buffer, api.nvim_buf_get_changedtick(buffer) }
end

--- Draws what an answer offers; the text is as it was when it was asked for.
---@param from vim.lsp.Client
local function receive(answer, from)
  clear()
  local here, tick = unpack(text())
  asked[here] = tick
  local edit = place.first(answer)
  local buffer = edit and client.buffer_of(edit.textDocument.uri)
  if not edit or is_busy() or (buffer ~= -1 and not place.fits(edit, buffer)) then
    return false
  end
  local now = { edit = edit, total = tonumber(answer.total) or 1, buffer = buffer, encoding = from.offset_encoding }
  if buffer ~= -1 then
    now.place = place.of(buffer, edit, now.encoding)
    follow(now)
  end
  offered = now
  show()
  return true
end

local latest = client.latest("palimpsest/nextEdit", text)

local function cancel()
  stop()
  latest.cancel()
end

--- Nothing is offered, and nothing asked for.
local function withdraw()
  clear()
  cancel()
end

--- Asks now.
---@param done? fun(any: boolean) of one that a person asks for
local function request(done)
  stop()
  latest.ask({ trigger = done and "invoked" or "automatic" }, function(same, answer, from)
    local any = same and receive(answer, from)
    if same and done then
      done(any)
    end
  end)
end

--- It was made: the server answers with the next one, unless a person has gone on meanwhile.
---@param now palimpsest.Offered
local function made(now)
  withdraw()
  local before = text()
  client.command(now.edit.command.command, { id = now.edit.id }, function(answer)
    local one = client.get(now.buffer)
    if one and vim.deep_equal(before, text()) then
      cancel()
      receive(answer, one)
    end
  end, { buffer = now.buffer })
end

--- What still holds stays, typed to its end it is made, and what holds no longer is asked for anew.
local function on_change(buffer)
  cancel()
  local is_new = api.nvim_buf_get_changedtick(buffer) ~= asked[buffer]
  if offered and (offered.buffer == buffer or not is_new) then
    return offered.place and place.is_done(offered.place) and made(offered) or show()
  end
  clear()
  local own, inserting = config.get().next_edits, events.inserting()
  local delay = inserting and own.insert_delay or own.delay
  if is_new and switches.edits_next(buffer) and not (inserting and delay == 0) then
    later(delay, function()
      if api.nvim_get_current_buf() == buffer and not is_busy() then
        request()
      end
    end)
  end
end

---@param now palimpsest.Offered
local function jump(now)
  local at = { uri = now.edit.textDocument.uri, range = now.edit.range }
  vim.cmd("normal! m'")
  vim.lsp.util.show_document(at, now.encoding, { focus = true })
  if now.buffer ~= -1 then
    return view.reveal(now)
  end
  withdraw() -- what it was for is not known to be what was opened: it is asked for anew
  waiting = api.nvim_get_current_buf()
  if client.get(waiting) then
    M.attached(waiting)
  end
end

---@param now palimpsest.Offered
local function accept(now)
  withdraw()
  if not vim.bo[now.buffer].modifiable then
    return tell.warn("this buffer cannot be changed ('modifiable' is off).")
  end
  place.make(now.buffer, assert(now.place))
  made(now)
end

--- Makes it where it is seen at the cursor, else jumps to it; asks for one where none is offered.
function M.take()
  if offered then
    return (view.draw(offered) and accept or jump)(offered)
  end
  clear()
  if client.expect() then
    request(function(any)
      return any or tell.say("no next edit.")
    end)
  end
end

--- Another thing is to be shown.
M.hide = withdraw

--- It is not offered again, and nothing else is until something is changed or asked for.
function M.dismiss()
  local now = offered
  if now then
    withdraw()
    client.command("palimpsest.nextEdit.dismiss", { id = now.edit.id })
  end
end

--- The server knows the buffer; the cursor is where its next edit was said to be.
function M.attached(buffer)
  if waiting == buffer then
    waiting = nil
    request(function() end) -- a person went there to see it
  end
end

function M.attach(buffer)
  asked[buffer] = api.nvim_buf_get_changedtick(buffer)
  events.listen(buffer, {
    { { "TextChanged", "TextChangedI", "TextChangedP", "InsertLeave" }, on_change },
    { { "CursorMoved", "CursorMovedI", "WinScrolled", "BufEnter" }, show },
  })
  events.on_menu("next_edits", show)
  M.attached(buffer)
end

function M.detach(buffer)
  asked[buffer] = nil
  withdraw()
end

return M
