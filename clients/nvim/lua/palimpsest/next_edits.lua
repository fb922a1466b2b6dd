--- Next edits: asks for the place that should follow what was edited, has it drawn, jumps there, makes it.  Owner of the
--- one that is offered.
local client = require("palimpsest.client")
local config = require("palimpsest.config")
local switches = require("palimpsest.switches")
local view = require("palimpsest.next_edit_view")

local M = {}

local api = vim.api

---@class palimpsest.NextEdit
---@field id string
---@field textDocument { uri: string, version: integer? }
---@field range lsp.Range
---@field text string
---@field kind string
---@field message string
---@field command lsp.Command

---@class palimpsest.Offered
---@field edit palimpsest.NextEdit
---@field total integer
---@field buffer integer -1 where its file is not open
---@field tick integer the buffer's text that it is for
---@field encoding string

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

---@param uri string
local function buffer_of(uri)
  local name = vim.uri_to_fname(uri)
  local buffer = vim.fn.bufnr(("^%s$"):format(vim.fn.escape(name, "[]*?{},\\")))
  return buffer > 0 and api.nvim_buf_is_loaded(buffer) and buffer or -1
end

--- Whether it is for the text as it is.
local function stands()
  if not offered then
    return false
  end
  return offered.buffer == -1 or (api.nvim_buf_is_valid(offered.buffer) and api.nvim_buf_get_changedtick(offered.buffer) == offered.tick)
end

--- Whether it is a place in a file and a text.
---@param edit any
local function is_whole(edit)
  local document = type(edit) == "table" and edit.textDocument
  local range = type(document) == "table" and type(document.uri) == "string" and edit.range
  if type(range) ~= "table" or type(edit.text) ~= "string" or not document.uri:find("^file:///") then
    return false
  end
  for _, at in ipairs({ range.start or 0, range["end"] or 0 }) do
    if type(at) ~= "table" or type(at.line) ~= "number" or type(at.character) ~= "number" then
      return false
    end
  end
  local from, to = range.start, range["end"]
  return from.line >= 0 and (from.line < to.line or (from.line == to.line and from.character <= to.character))
end

--- Whether the buffer has that place; behind its last line is one.
---@param buffer integer
---@param range lsp.Range
local function is_inside(buffer, range)
  local last = range["end"]
  local lines = api.nvim_buf_line_count(buffer)
  return last.line < lines or (last.line == lines and last.character == 0)
end

--- Draws what an answer offers, if the buffers are as they were when it was asked for.
---@param answer { edits: palimpsest.NextEdit[], total: integer }?
---@param from vim.lsp.Client
local function receive(answer, from)
  clear()
  local edits = type(answer) == "table" and answer.edits
  local edit = type(edits) == "table" and edits[1]
  if not is_whole(edit) then
    return false
  end
  local buffer = buffer_of(edit.textDocument.uri)
  local version = edit.textDocument.version
  if buffer ~= -1 and type(version) == "number" and version ~= vim.lsp.util.buf_versions[buffer] then
    return false
  end
  if buffer ~= -1 and not is_inside(buffer, edit.range) then
    return false
  end
  local tick = buffer ~= -1 and api.nvim_buf_get_changedtick(buffer) or 0
  offered = { edit = edit, total = tonumber(answer.total) or 1, buffer = buffer, tick = tick, encoding = from.offset_encoding }
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
  timer:start(delay, 0, vim.schedule_wrap(function()
    local busy = inserting and require("palimpsest.completion").visible()
    if api.nvim_get_current_buf() == buffer and not busy then
      request()
    end
  end))
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
  vim.lsp.util.show_document({ uri = now.edit.textDocument.uri, range = now.edit.range }, now.encoding, { focus = true })
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

--- Behind the first line of what was put there; where the end of the buffer is gone, at what is the end now.
---@param now palimpsest.Offered
local function put_cursor(now)
  local edit = now.edit
  local row = math.min(edit.range.start.line, api.nvim_buf_line_count(now.buffer) - 1)
  local column = row < edit.range.start.line and 0
    or edit.range.start.character + vim.str_utfindex(edit.text:match("^[^\r\n]*"), now.encoding)
  local line = api.nvim_buf_get_lines(now.buffer, row, row + 1, false)[1]
  local byte = vim.str_byteindex(line, now.encoding, column, false)
  local last = api.nvim_get_mode().mode:find("^i") and #line or #line - 1
  api.nvim_win_set_cursor(0, { row + 1, math.max(math.min(byte, last), 0) })
end

local function accept()
  local now = assert(offered)
  local edit = now.edit
  clear()
  cancel()
  if not vim.bo[now.buffer].modifiable then
    return require("palimpsest.tell").say("this buffer cannot be changed ('modifiable' is off).", vim.log.levels.WARN)
  end
  vim.lsp.util.apply_text_edits({ { range = edit.range, newText = edit.text } }, now.buffer, now.encoding)
  put_cursor(now)
  client.command(edit.command.command, { id = edit.id }, function(answer)
    local one = client.get(now.buffer)
    if one and answer then
      cancel()
      receive(answer, one)
    end
  end, { buffer = now.buffer })
end

--- Jumps to it, or makes it where the cursor is there; asks for one where none is offered.
function M.take()
  if not stands() then
    clear()
    if not client.expect() then
      return
    end
    return request(function(any)
      if not any then
        require("palimpsest.tell").say("no next edit.")
      end
    end)
  end
  if is_here() then
    return accept()
  end
  jump()
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
    if answer and client.get(api.nvim_get_current_buf()) then
      request()
    end
  end)
end

---@return palimpsest.NextEdit?
function M.current()
  return stands() and offered and offered.edit or nil
end

local function group_of(buffer)
  return ("palimpsest.next_edits.%d"):format(buffer)
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
  local group = api.nvim_create_augroup(group_of(buffer), { clear = true })
  local function on(events, call)
    api.nvim_create_autocmd(events, {
      group = group,
      buffer = buffer,
      callback = function()
        call(buffer)
      end,
    })
  end
  on({ "TextChanged", "TextChangedI", "InsertLeave" }, on_change)
  on({ "CursorMoved", "WinScrolled", "BufEnter" }, on_move)
  M.attached(buffer)
end

---@param buffer integer
function M.detach(buffer)
  pcall(api.nvim_del_augroup_by_name, group_of(buffer))
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
