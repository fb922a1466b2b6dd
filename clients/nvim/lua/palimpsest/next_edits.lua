--- Next edits: asks for the place that should follow what was edited, has it drawn, jumps there, makes it.  Owner of
--- the one that is offered.
local client = require("palimpsest.client")
local config = require("palimpsest.config")
local events = require("palimpsest.events")
local switches = require("palimpsest.switches")
local tell = require("palimpsest.tell")
local view = require("palimpsest.next_edit_view")

local M = {}

local api = vim.api

local offered ---@type palimpsest.Offered?
local waiting ---@type integer? a buffer that a jump has opened: asked about when the server knows it
local later, stop = events.pause()

local function clear()
  offered = nil
  view.clear()
end

--- Of a buffer's text; 0 where there is none.
local function tick(buffer)
  return buffer ~= -1 and api.nvim_buf_is_valid(buffer) and api.nvim_buf_get_changedtick(buffer) or 0
end

--- Whether one is offered for the text as it is.
function M.visible()
  return offered ~= nil and tick(offered.buffer) == offered.tick
end

function M.current()
  return M.visible() and assert(offered).edit or nil
end

--- Draws what is offered for the text as it is, but nothing below a completion menu.
local function show()
  if M.visible() and events.menu_is_open() then
    view.clear()
  elseif M.visible() then
    view.draw(assert(offered))
  elseif offered then
    clear()
  end
end

--- The edit of an answer, if it has one: a place in a file and a text.
---@return table?
local function first(answer)
  local is_whole, edit = pcall(function()
    local one = answer.edits[1]
    local from, to = one.range.start, one.range["end"]
    local in_order = from.line < to.line or from.line == to.line and from.character <= to.character
    local is_text = one.text:len() >= 0 and from.character + to.character >= 0
    return in_order and is_text and from.line >= 0 and vim.startswith(one.textDocument.uri, "file:///") and one
  end)
  return is_whole and edit or nil
end

--- Whether it is for the text that the buffer has, where behind the last line is a place, too.
---@param edit table
local function fits(edit, buffer)
  local version, last = edit.textDocument.version, edit.range["end"]
  local lines = api.nvim_buf_line_count(buffer)
  return (type(version) ~= "number" or version == vim.lsp.util.buf_versions[buffer])
    and (last.line < lines or (last.line == lines and last.character == 0))
end

--- Draws what an answer offers, if the buffers are as they were when it was asked for.
---@param from vim.lsp.Client
local function receive(answer, from)
  clear()
  local edit = first(answer)
  local buffer = edit and client.buffer_of(edit.textDocument.uri)
  if not edit or (buffer ~= -1 and not fits(edit, buffer)) then
    return false
  end
  offered = {
    edit = edit,
    total = tonumber(answer.total) or 1,
    buffer = buffer,
    tick = tick(buffer),
    encoding = from.offset_encoding,
  }
  show()
  return true
end

local latest = client.latest("palimpsest/nextEdit", function()
  local buffer = api.nvim_get_current_buf()
  return { buffer, api.nvim_buf_get_changedtick(buffer) }
end)

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
---@param done? fun(any: boolean)
local function request(done)
  stop()
  latest.ask({}, function(same, answer, from)
    local any = receive(same and answer, from)
    if same and done then
      done(any)
    end
  end)
end

local function on_change(buffer)
  if not M.visible() then
    clear()
  end
  cancel()
  local own, inserting = config.get().next_edits, events.inserting()
  local delay = inserting and own.insert_delay or own.delay
  if switches.edits_next(buffer) and not (inserting and delay == 0) then
    later(delay, function()
      local busy = inserting and require("palimpsest.completion").visible()
      if api.nvim_get_current_buf() == buffer and not busy then
        request()
      end
    end)
  end
end

---@param now palimpsest.Offered
local function jump(now)
  local place = { uri = now.edit.textDocument.uri, range = now.edit.range }
  vim.cmd("normal! m'")
  vim.lsp.util.show_document(place, now.encoding, { focus = true })
  if now.buffer ~= -1 then
    return view.draw(now)
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
  view.make(now)
  client.command(now.edit.command.command, { id = now.edit.id }, function(answer)
    local one = client.get(now.buffer)
    if one then
      cancel()
      receive(answer, one)
    end
  end, { buffer = now.buffer })
end

--- Jumps to it, or makes it where the cursor is there, so that it was seen; asks for one where none is offered.
function M.take()
  if M.visible() then
    local now = assert(offered)
    return (view.is_at_cursor(now) and accept or jump)(now)
  end
  clear()
  if client.expect() then
    request(function(any)
      return any or tell.say("no next edit.")
    end)
  end
end

--- It is not offered again; the next one is.
function M.dismiss()
  local now = offered
  if now then
    withdraw()
    client.command("palimpsest.nextEdit.dismiss", { id = now.edit.id }, function()
      if not latest.is_asked() then
        request()
      end
    end)
  end
end

--- The server knows the buffer; the cursor is where its next edit was said to be.
function M.attached(buffer)
  if waiting == buffer then
    waiting = nil
    request()
  end
end

function M.attach(buffer)
  events.listen(buffer, {
    { { "TextChanged", "TextChangedI", "TextChangedP", "InsertLeave" }, on_change },
    { { "CursorMoved", "WinScrolled", "BufEnter" }, show },
  })
  events.on_menu(show)
  M.attached(buffer)
end

M.detach = withdraw

return M
