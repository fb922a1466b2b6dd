--- Inline completions: asks, shows, accepts all or a part.  Owner of what is shown by us; where Neovim's own inline
--- completion asks and draws (`native.lua`), what it shows is taken over as soon as a person does anything with it.
local client = require("palimpsest.client")
local config = require("palimpsest.config")
local ghost = require("palimpsest.ghost")
local native = require("palimpsest.native")
local pieces = require("palimpsest.pieces")
local switches = require("palimpsest.switches")

local M = {}

local api = vim.api
local METHOD = "textDocument/inlineCompletion"
local INVOKED, AUTOMATIC = 1, 2
--- Without Neovim's own delay: long enough that a burst of keys is one question.
local DELAY_MS = 60

---@class palimpsest.Choice
---@field rest string what is still to be inserted at the cursor
---@field id? string for counting
---@field command? lsp.Command
---@field snippet? { value: string, typed: integer } bytes before the cursor that it replaces

---@class palimpsest.Shown
---@field buffer integer
---@field row integer
---@field column integer of the cursor, in bytes
---@field after string the line behind the cursor
---@field choices palimpsest.Choice[]
---@field index integer

local shown ---@type palimpsest.Shown?
local pending ---@type { client: vim.lsp.Client, id: integer }?
local ours = {} ---@type table<integer, true> buffers where Neovim's own rests until Insert mode ends
local timer = assert(vim.uv.new_timer())

---@return integer buffer, integer row, integer column, string line
local function here()
  local cursor = api.nvim_win_get_cursor(0)
  return api.nvim_get_current_buf(), cursor[1] - 1, cursor[2], api.nvim_get_current_line()
end

local function inserting()
  return api.nvim_get_mode().mode:find("^i") ~= nil
end

local function hide()
  if shown then
    ghost.hide(shown.buffer)
    shown = nil
  end
end

local function cancel()
  timer:stop()
  if pending then
    pending.client:cancel_request(pending.id)
    pending = nil
  end
end

local function draw(hint)
  if shown then
    ghost.show(shown.buffer, shown.row, shown.column, shown.choices[shown.index].rest, hint)
  end
end

--- From now on, until Insert mode ends, we ask and draw in this buffer.
local function take_over(buffer)
  if native.is_on(buffer) then
    native.off(buffer)
    ours[buffer] = true
  end
end

---@param buffer integer
local function automatic(buffer)
  return config.get().completion.trigger == "automatic" and (ours[buffer] or not native.serves())
end

local function menu_is_open()
  local cmp, blink = package.loaded["cmp"], package.loaded["blink.cmp"]
  return vim.fn.pumvisible() == 1
    or (cmp ~= nil and type(cmp.visible) == "function" and cmp.visible() == true)
    or (blink ~= nil and type(blink.is_visible) == "function" and blink.is_visible() == true)
end
M.menu_is_open = menu_is_open

--- What an item would insert at the cursor; nil where the line no longer begins as it does.
---@param item lsp.InlineCompletionItem
---@param start integer where it begins, in bytes
---@return palimpsest.Choice?
local function choice(item, start, line, column)
  local insert = item.insertText
  local text = item.filterText or (type(insert) == "string" and insert or insert.value)
  local typed = line:sub(start + 1, column)
  if not vim.startswith(text, typed) or #text == #typed then
    return nil
  end
  local argument = item.command and item.command.arguments and item.command.arguments[1] or {}
  local snippet = type(insert) == "table" and { value = insert.value, typed = #typed } or nil
  return { rest = text:sub(#typed + 1), id = argument.id, command = item.command, snippet = snippet }
end

---@param result any
---@param from vim.lsp.Client
local function receive(result, from)
  local buffer, row, column, line = here()
  local choices, seen = {}, {}
  for _, item in ipairs(result and (result.items or result) or {}) do
    local start = column
    if item.range then
      start = item.range.start.line == row
        and vim.str_byteindex(line, from.offset_encoding, item.range.start.character, false)
    end
    local one = start and choice(item, start, line, column)
    if one and not seen[one.rest] then
      seen[one.rest] = true
      table.insert(choices, one)
    end
  end
  hide()
  if #choices > 0 then
    shown = { buffer = buffer, row = row, column = column, after = line:sub(column + 1), choices = choices, index = 1 }
    draw(#choices > 1 and ("  1/%d"):format(#choices) or nil)
  end
  return #choices
end

---@param kind integer
---@param done? fun(n: integer)
local function request(kind, done)
  cancel()
  local buffer, row, column = here()
  local one = client.get(buffer)
  if not one or not inserting() then
    return
  end
  local tick = api.nvim_buf_get_changedtick(buffer)
  local params = {
    textDocument = { uri = client.uri(buffer) },
    position = client.position(one),
    context = { triggerKind = kind },
  }
  local this = { client = one }
  local ok, id = one:request(METHOD, params, function(error, result)
    if pending ~= this then
      return
    end
    pending = nil
    local now, now_row, now_column = here()
    local same = now == buffer and now_row == row and now_column == column
    if error or not same or not inserting() or api.nvim_buf_get_changedtick(buffer) ~= tick then
      return
    end
    local n = receive(result, one)
    if done then
      done(n)
    end
  end, buffer)
  if ok then
    this.id = id
    pending = this
  end
end

--- What is shown, as far as the line still agrees with it.
local function follow()
  if not shown then
    return false
  end
  local buffer, row, column, line = here()
  local typed = line:sub(shown.column + 1, column)
  local agrees = buffer == shown.buffer
    and row == shown.row
    and column >= shown.column
    and line:sub(column + 1) == shown.after
  local left = {}
  for index, one in ipairs(agrees and shown.choices or {}) do
    if vim.startswith(one.rest, typed) and #one.rest > #typed then
      one.rest = one.rest:sub(#typed + 1)
      one.snippet = one.snippet and { value = one.snippet.value, typed = one.snippet.typed + #typed }
      table.insert(left, one)
    elseif index == shown.index then
      agrees = false
    end
  end
  if not agrees or #left == 0 then
    hide()
    return false
  end
  shown.index = math.min(shown.index, #left)
  shown.choices, shown.column = left, column
  draw()
  return true
end

local function on_change(buffer)
  follow()
  if menu_is_open() and not config.get().inline.with_menu then
    if shown then
      ghost.hide(buffer)
    end
    return cancel()
  end
  if not automatic(buffer) or not switches.completes(buffer) then
    return
  end
  cancel()
  local delay = config.get().completion.delay_ms
  timer:start(delay > 0 and delay or DELAY_MS, 0, vim.schedule_wrap(function()
    if api.nvim_get_current_buf() == buffer and inserting() then
      request(AUTOMATIC)
    end
  end))
end

--- Neovim's own asks again from the next Insert mode on.
local function on_leave(buffer)
  cancel()
  hide()
  if ours[buffer] then
    ours[buffer] = nil
    if switches.completes(buffer) then
      native.on(buffer)
    end
  end
end

--- Whether a completion is on the screen.
---@return boolean
function M.visible()
  return shown ~= nil or native.visible(api.nvim_get_current_buf())
end

--- Says that a part was taken; all of it is counted by the item's own command.
---@param one palimpsest.Choice
local function count(buffer, one, part, piece)
  local to = client.get(buffer)
  if not to then
    return
  end
  if part == "all" and one.command then
    return client.command(one.command.command, one.command.arguments[1], nil, { buffer = buffer, quiet = true })
  end
  local chars = vim.fn.strchars(piece)
  to:notify("palimpsest/event", { kind = "accepted", what = "completion", part = part, chars = chars, id = one.id })
end

---@param buffer integer
---@param piece string
local function insert(buffer, row, column, piece)
  local lines = vim.split(piece, "\n", { plain = true })
  api.nvim_buf_set_text(buffer, row, column, row, column, lines)
  local last = #lines == 1 and column + #lines[1] or #lines[#lines]
  api.nvim_win_set_cursor(0, { row + #lines, last })
  return row + #lines - 1, last
end

---@param part palimpsest.Part
local function accept_shown(part)
  local now = assert(shown)
  local one = now.choices[now.index]
  local piece = pieces.of(one.rest, part)
  local whole = #piece == #one.rest
  cancel()
  ghost.hide(now.buffer)
  shown = nil
  if whole and one.snippet then
    api.nvim_buf_set_text(now.buffer, now.row, now.column - one.snippet.typed, now.row, now.column, { "" })
    vim.snippet.expand(one.snippet.value)
  else
    now.row, now.column = insert(now.buffer, now.row, now.column, piece)
  end
  count(now.buffer, one, whole and "all" or part, piece)
  if whole then
    return
  end
  local left = {}
  for index, other in ipairs(now.choices) do
    if vim.startswith(other.rest, piece) and #other.rest > #piece then
      other.rest = other.rest:sub(#piece + 1)
      other.snippet = nil
      table.insert(left, other)
      now.index = index == now.index and #left or now.index
    end
  end
  now.index = math.min(now.index, #left)
  now.choices, now.after = left, api.nvim_get_current_line():sub(now.column + 1)
  shown = now
  draw()
end

--- Takes what Neovim's own shows, and goes on as if we had shown it.
---@param part palimpsest.Part
local function accept_native(buffer, part)
  return native.take(buffer, function(item)
    local now, row, column, line = here()
    local start = column
    if item.range then
      local first, from = item.range:to_extmark()
      start = first == row and from or nil
    end
    local text = { insertText = item.insert_text, filterText = item._filter_text, command = item.command }
    local one = now == buffer and start and choice(text, start, line, column)
    if one then
      take_over(buffer)
      shown = { buffer = now, row = row, column = column, after = line:sub(column + 1), choices = { one }, index = 1 }
      accept_shown(part)
    end
  end)
end

--- Accepts what is shown, or a part of it.
---@param part palimpsest.Part
---@return boolean whether there was something
function M.accept(part)
  local buffer = api.nvim_get_current_buf()
  if shown and shown.buffer == buffer and follow() then
    accept_shown(part)
    return true
  end
  return native.visible(buffer) and accept_native(buffer, part) or false
end

--- Asks now, for several alternatives, from Normal mode behind the cursor.
function M.ask()
  local buffer = api.nvim_get_current_buf()
  if not client.expect(buffer) then
    return
  end
  local function ask()
    take_over(buffer)
    hide()
    request(INVOKED, function(n)
      if n == 0 then
        require("palimpsest.tell").say("nothing to complete here.")
      end
    end)
  end
  if inserting() then
    return ask()
  end
  api.nvim_feedkeys(vim.keycode("a<Cmd>lua require('palimpsest').complete()<CR>"), "n", false)
end

--- The alternatives in turn; asks for them where there is only one.
---@param by integer
function M.cycle(by)
  if not shown or #shown.choices < 2 then
    return M.ask()
  end
  shown.index = (shown.index - 1 + by) % #shown.choices + 1
  draw(("  %d/%d"):format(shown.index, #shown.choices))
end

--- Hides it; it is counted as rejected.
function M.dismiss()
  local buffer = api.nvim_get_current_buf()
  cancel()
  if shown then
    local one = shown.choices[shown.index]
    client.notify("palimpsest/event", { kind = "rejected", what = "completion", id = one.id }, buffer)
    return hide()
  end
  if native.visible(buffer) then
    native.take(buffer, function() end)
  end
end

local function group_of(buffer)
  return ("palimpsest.completion.%d"):format(buffer)
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
  on({ "InsertEnter", "CursorMovedI", "TextChangedI", "TextChangedP" }, on_change)
  on({ "InsertLeave", "BufLeave" }, on_leave)
  if switches.completes(buffer) then
    native.on(buffer)
  end
end

---@param buffer integer
function M.detach(buffer)
  pcall(api.nvim_del_augroup_by_name, group_of(buffer))
  cancel()
  hide()
  ours[buffer] = nil
  if api.nvim_buf_is_valid(buffer) then
    native.off(buffer)
  end
end

--- Completions were switched on or off.
---@param buffer integer
function M.switched(buffer)
  if switches.completes(buffer) then
    native.on(buffer)
  else
    cancel()
    hide()
    native.off(buffer)
  end
end

return M
