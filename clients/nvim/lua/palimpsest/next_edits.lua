--- Next edits: asks for the place that should follow what was edited, has it drawn, jumps there, makes it.  Owner of
--- the one that is offered.
local check = require("palimpsest.next_edit_check")
local client = require("palimpsest.client")
local config = require("palimpsest.config")
local events = require("palimpsest.events")
local switches = require("palimpsest.switches")
local view = require("palimpsest.next_edit_view")

local M = {}

local api = vim.api

local offered ---@type palimpsest.Offered?
local pending ---@type { client: vim.lsp.Client, id: integer }?
local waiting ---@type integer? a buffer that a jump has opened: asked about when the server knows it
local timer = assert(vim.uv.new_timer())

local function clear()
  offered = nil
  view.clear()
end

local function cancel()
  timer:stop()
  if pending then
    pending.client:cancel_request(pending.id)
    pending = nil
  end
end

--- Whether it is for the text as it is.
local function stands()
  if not offered then
    return false
  end
  return offered.buffer == -1
    or (api.nvim_buf_is_valid(offered.buffer) and api.nvim_buf_get_changedtick(offered.buffer) == offered.tick)
end

--- Draws what an answer offers, if the buffers are as they were when it was asked for.
---@param answer { edits: palimpsest.NextEdit[], total: integer }?
---@param from vim.lsp.Client
local function receive(answer, from)
  clear()
  local edit = check.first(answer)
  local buffer = edit and client.buffer_of(edit.textDocument.uri)
  if not edit or not check.fits(edit, buffer) then
    return false
  end
  local tick = buffer ~= -1 and api.nvim_buf_get_changedtick(buffer) or 0
  offered =
    { edit = edit, total = tonumber(answer.total) or 1, buffer = buffer, tick = tick, encoding = from.offset_encoding }
  view.draw(offered)
  return true
end

--- Asks now.
---@param done? fun(any: boolean)
local function request(done)
  cancel()
  local buffer = api.nvim_get_current_buf()
  local one = client.get(buffer)
  if not one then
    return
  end
  local params = {
    textDocument = { uri = client.uri(buffer), version = vim.lsp.util.buf_versions[buffer] },
    position = client.position(one),
  }
  local tick, this = api.nvim_buf_get_changedtick(buffer), { client = one }
  local ok, id = one:request("palimpsest/nextEdit", params, function(error, answer)
    if pending ~= this then
      return
    end
    pending = nil
    local stale = api.nvim_get_current_buf() ~= buffer or api.nvim_buf_get_changedtick(buffer) ~= tick
    if error or stale then
      return clear()
    end
    local any = receive(answer, one)
    if done then
      done(any)
    end
  end, buffer)
  if ok then
    this.id = id
    pending = this
  end
end

local function on_change(buffer)
  if offered and not stands() then
    clear()
  end
  cancel()
  local own = config.get().next_edits
  local inserting = api.nvim_get_mode().mode:find("^i") ~= nil
  local delay = inserting and own.insert_delay or own.delay
  if not switches.edits_next(buffer) or (inserting and delay == 0) then
    return
  end
  timer:start(
    delay,
    0,
    vim.schedule_wrap(function()
      local busy = inserting and require("palimpsest.completion").visible()
      if api.nvim_get_current_buf() == buffer and not busy then
        request()
      end
    end)
  )
end

local function on_move()
  if offered then
    if stands() then
      view.draw(offered)
    else
      clear()
    end
  end
end

--- Whether one is offered for the text as it is.
---@return boolean
function M.visible()
  return stands()
end

--- Whether the cursor is where the edit would be made, so that it was seen.
local function is_here()
  local now = assert(offered)
  if now.buffer ~= api.nvim_get_current_buf() then
    return false
  end
  local row = api.nvim_win_get_cursor(0)[1] - 1
  return row >= now.edit.range.start.line and row <= now.edit.range["end"].line
end

local function jump()
  local now = assert(offered)
  vim.cmd("normal! m'")
  vim.lsp.util.show_document(
    { uri = now.edit.textDocument.uri, range = now.edit.range },
    now.encoding,
    { focus = true }
  )
  if now.buffer ~= -1 then
    return view.draw(now)
  end
  clear() -- what it was for is not known to be what was opened: it is asked for anew
  cancel()
  local buffer = api.nvim_get_current_buf()
  waiting = buffer
  if client.get(buffer) then
    M.attached(buffer)
  end
end

local function accept()
  local now = assert(offered)
  local edit = now.edit
  clear()
  cancel()
  if not vim.bo[now.buffer].modifiable then
    return require("palimpsest.tell").say("this buffer cannot be changed ('modifiable' is off).", vim.log.levels.WARN)
  end
  view.make(now)
  client.command(edit.command.command, { id = edit.id }, function(answer)
    local one = client.get(now.buffer)
    if one and answer then
      cancel()
      receive(answer, one)
    end
  end, { buffer = now.buffer })
end

local function say_if_none(any)
  return any or require("palimpsest.tell").say("no next edit.")
end

--- Jumps to it, or makes it where the cursor is there; asks for one where none is offered.
function M.take()
  if not stands() then
    clear()
    if not client.expect() then
      return
    end
    return request(say_if_none)
  end
  local go_on = is_here() and accept or jump
  go_on()
end

--- It is not offered again; the next one is.
function M.dismiss()
  local now = offered
  if not now then
    return
  end
  clear()
  cancel()
  client.command("palimpsest.nextEdit.dismiss", { id = now.edit.id }, function(answer)
    if answer and not pending then
      request()
    end
  end)
end

function M.current()
  return stands() and offered and offered.edit or nil
end

--- The server knows the buffer; the cursor is where its next edit was said to be.
---@param buffer integer
function M.attached(buffer)
  if waiting == buffer then
    waiting = nil
    request()
  end
end

---@param buffer integer
function M.attach(buffer)
  events.listen("next_edits", buffer, {
    { { "TextChanged", "TextChangedI", "InsertLeave" }, on_change },
    { { "CursorMoved", "WinScrolled", "BufEnter" }, on_move },
  })
  M.attached(buffer)
end

---@param buffer integer
function M.detach(buffer)
  events.close("next_edits", buffer)
  cancel()
  clear()
end

--- They were switched on or off.
---@param buffer integer
function M.switched(buffer)
  clear()
  cancel()
  if switches.edits_next(buffer) then
    on_change(buffer)
  end
end

return M
