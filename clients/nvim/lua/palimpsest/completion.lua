--- Inline completions: asks, accepts all or a part.  Where Neovim's own inline completion asks and draws
--- (`native.lua`), what it shows is taken over as soon as a person does anything with it.
local answers = require("palimpsest.answers")
local client = require("palimpsest.client")
local config = require("palimpsest.config")
local events = require("palimpsest.events")
local menu = require("palimpsest.menu")
local native = require("palimpsest.native")
local pieces = require("palimpsest.pieces")
local question = require("palimpsest.question")
local shown = require("palimpsest.shown")
local switches = require("palimpsest.switches")
local taking = require("palimpsest.taking")

local M = {}

local api = vim.api
--- Without Neovim's own delay: long enough that a burst of keys is one question.
local DELAY_MS = 60

local ours = {} ---@type table<integer, true> buffers where Neovim's own rests until Insert mode ends
local timer = assert(vim.uv.new_timer())

local function inserting()
  return api.nvim_get_mode().mode:find("^i") ~= nil
end

local function cancel()
  timer:stop()
  question.cancel()
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

local function ask()
  question.ask(question.AUTOMATIC, config.get().completion.show ~= "key" and shown.set or nil)
end

local function on_change(buffer)
  shown.follow()
  if menu.is_open() and not config.get().inline.with_menu then
    shown.cover()
    return cancel()
  end
  if not automatic(buffer) or not switches.completes(buffer) then
    return
  end
  cancel()
  local delay = config.get().completion.delay_ms
  timer:start(
    delay > 0 and delay or DELAY_MS,
    0,
    vim.schedule_wrap(function()
      if api.nvim_get_current_buf() == buffer and inserting() then
        ask()
      end
    end)
  )
end

--- Neovim's own asks again from the next Insert mode on.
local function on_leave(buffer)
  cancel()
  shown.hide()
  if ours[buffer] then
    ours[buffer] = nil
    if switches.completes(buffer) then
      native.on(buffer)
    end
  end
end

---@param buffer integer
local function again(buffer)
  if native.is_on(buffer) then
    native.again(buffer)
  elseif automatic(buffer) and switches.completes(buffer) then
    ask()
  end
end

--- What is offered at a place is another completion than was answered: asks again where the cursor is still there.
---@param params { textDocument: { uri: string, version: integer }, position: lsp.Position }
function M.on_told(_, params)
  local buffer, document = api.nvim_get_current_buf(), params.textDocument
  local one = client.get(buffer)
  local here = one
    and inserting()
    and document.uri == client.uri(buffer)
    and document.version == vim.lsp.util.buf_versions[buffer]
    and vim.deep_equal(params.position, client.position(one))
  if not here then
    return
  end
  again(buffer)
end

--- Whether a completion is on the screen.
---@return boolean
function M.visible()
  return shown.any() or native.visible(api.nvim_get_current_buf())
end

---@param part palimpsest.Part
local function accept_shown(part)
  local one = assert(shown.chosen())
  local buffer, row, column = shown.here()
  local piece = pieces.of(one.rest, part)
  local whole = #piece == #one.rest
  cancel()
  shown.cover()
  if whole and one.snippet then
    shown.hide()
    api.nvim_buf_set_text(buffer, row, column - one.snippet.typed, row, column, { "" })
    vim.snippet.expand(one.snippet.value)
  else
    taking.insert(piece)
    shown.taken(piece)
  end
  taking.count(buffer, one, whole and "all" or part, piece)
end

--- Takes what Neovim's own shows, and goes on as if we had shown it.
---@param part palimpsest.Part
local function accept_native(buffer, part)
  return native.take(buffer, function(item)
    local now, row, column, line = shown.here()
    local one = now == buffer and answers.of_native(item, row, column, line)
    if one then
      take_over(buffer)
      shown.set({ one })
      accept_shown(part)
    end
  end)
end

--- Accepts what is shown, or a part of it.
---@param part palimpsest.Part
---@return boolean whether there was something
function M.accept(part)
  local buffer = api.nvim_get_current_buf()
  if shown.follow() then
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
  if not inserting() then
    return api.nvim_feedkeys(vim.keycode("a<Cmd>lua require('palimpsest').complete()<CR>"), "n", false)
  end
  take_over(buffer)
  shown.hide()
  question.ask(question.INVOKED, function(choices)
    shown.set(choices)
    if #choices == 0 then
      require("palimpsest.tell").say("nothing to complete here.")
    end
  end)
end

--- Shows what was prepared for the cursor while a person typed.
function M.reveal()
  cancel()
  question.ask(question.AUTOMATIC, shown.set)
end

--- The alternatives in turn; asks for them where there is only one.
---@param by integer
function M.cycle(by)
  if shown.count() < 2 then
    return M.ask()
  end
  shown.turn(by)
end

--- Hides it; it is counted as rejected.
function M.dismiss()
  local buffer = api.nvim_get_current_buf()
  cancel()
  if shown.chosen() then
    local id = shown.chosen().id
    client.notify("palimpsest/event", { kind = "rejected", what = "completion", id = id }, buffer)
    return shown.hide()
  end
  if native.visible(buffer) then
    native.take(buffer, function() end)
  end
end

---@param buffer integer
function M.attach(buffer)
  events.listen("completion", buffer, {
    { { "InsertEnter", "CursorMovedI", "TextChangedI", "TextChangedP" }, on_change },
    { { "InsertLeave", "BufLeave" }, on_leave },
  })
  if switches.completes(buffer) then
    native.on(buffer)
  end
  if api.nvim_get_current_buf() == buffer and inserting() then
    again(buffer) -- a person types before the server is there
  end
end

---@param buffer integer
function M.detach(buffer)
  events.close("completion", buffer)
  cancel()
  shown.hide()
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
    shown.hide()
    native.off(buffer)
  end
end

return M
