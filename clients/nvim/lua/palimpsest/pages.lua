--- The cache and the context as the server draws them (`palimpsest.page`), drawn anew as they change; keys act on the
--- block under the cursor.  Owner of both views.
local client = require("palimpsest.client")
local events = require("palimpsest.events")
local highlights = require("palimpsest.highlights")
local scratch = require("palimpsest.scratch")
local tell = require("palimpsest.tell")

local M = {}

local api = vim.api
--- What changes comes in bursts, which are one question.
local SOON_MS = 20
local HELP = { "<CR> source  K text  p pin  u unpin  d drop", "R again  q close" }
local later = { cache = events.pause(), context = events.pause() }

---@class palimpsest.View
---@field buffer integer
---@field blocks? table<integer, table> by line; nil before it is drawn

local views = {} ---@type table<string, palimpsest.View>

--- If it is open.
---@return palimpsest.View?
function M.current(name)
  local view = views[name]
  return view and api.nvim_buf_is_valid(view.buffer) and view or nil
end

--- Its lines, with the marks that colour them.
local function rows(page)
  local lines, marks, encoding = vim.split(page.text:gsub("\n$", ""), "\n"), {}, client.encoding()
  for _, mark in ipairs(page.marks) do
    local from, to = mark.range.start, mark.range["end"]
    local line, byte = lines[from.line + 1], vim.str_byteindex
    local start, stop = byte(line, encoding, from.character, false), byte(line, encoding, to.character, false)
    table.insert(marks, { from.line, start, stop, highlights.of_kind(mark.kind) })
  end
  return lines, marks
end

---@param view palimpsest.View
local function draw(name, view, page)
  local lines, marks = rows(page)
  view.blocks = {}
  for _, link in ipairs(page.links) do
    view.blocks[link.range.start.line + 1] = link.block
  end
  for _, help in ipairs(name == "context" and HELP or {}) do
    table.insert(marks, { #lines, 0, #help, "PalimpsestDim" })
    table.insert(lines, help)
  end
  scratch.set(view.buffer, lines, marks)
  if name == "cache" then
    scratch.float(view.buffer, page.title, 84)
  end
end

--- Asks again.  The context is that of where the cursor was last.
---@param name "cache"|"context"
function M.refresh(name)
  later[name](SOON_MS, function()
    local view = M.current(name)
    if view then
      client.command("palimpsest.page", { name = name }, function(page)
        if M.current(name) == view then
          draw(name, view, page)
        end
      end, { quiet = view.blocks ~= nil or name == "context" })
    end
  end)
end

--- Opens it, or closes it where it is open.
---@param changed string the event at which it is asked for again
local function toggle(name, changed, keys)
  local open = M.current(name)
  if open then
    return api.nvim_buf_delete(open.buffer, { force = true })
  elseif not client.expect() then
    return
  end
  local view = { buffer = scratch.buffer(name, "palimpsest-" .. name) }
  local function refresh()
    M.refresh(name)
    return M.current(name) ~= view -- then the event is not listened to any more
  end
  views[name] = view
  api.nvim_create_autocmd("User", { pattern = changed, callback = refresh })
  scratch.set(view.buffer, { "…" })
  scratch.keys(view.buffer, vim.tbl_extend("error", keys, { R = { refresh, "ask again" } }))
  if name == "context" then
    require("palimpsest.notices").tell_cursor(api.nvim_get_current_buf())
    scratch.split(view.buffer)
  else
    scratch.float(view.buffer, "Cache", 84)
  end
  refresh()
end

--- The buffer beside the split, in which the person was before.
local function code()
  return vim.fn.winbufnr(vim.fn.winnr("#"))
end

local function show_text(block)
  local buffer = scratch.buffer("block/" .. block.type .. "/" .. block.name)
  scratch.set(buffer, vim.split(block.text, "\n"))
  vim.bo[buffer].syntax = vim.bo[code()].filetype
  scratch.float(buffer, block.name, 20)
end

local function open_source(block)
  if not block.uri then
    return show_text(block)
  end
  vim.cmd.wincmd("p")
  local at = { line = block.line or 0, character = 0 }
  local range = { start = at, ["end"] = at }
  vim.lsp.util.show_document({ uri = block.uri, range = range }, client.encoding(), { focus = true })
end

---@param name "pin"|"unpin"
local function change_pin(name, uri)
  client.command("palimpsest.context." .. name, { uri = uri }, function(answer)
    tell.say(answer.says .. ".")
    M.refresh("context")
  end)
end

local function drop(block)
  if block.source == "pin" and block.uri then
    return change_pin("unpin", block.uri)
  end
  client.command("palimpsest.context.drop", { type = block.type, name = block.name }, function(answer)
    if not answer.dropped then
      tell.say("this block is gathered from the code; only pinned files and blocks put from outside can be dropped.")
    end
    M.refresh("context")
  end)
end

---@return table? block under the cursor
local function here()
  local view = M.current("context")
  return view and (view.blocks or {})[api.nvim_win_get_cursor(0)[1]]
end

---@param act fun(block: table)
local function on_block(act)
  return function()
    local block = here()
    if not block then
      return tell.say("put the cursor on a block.")
    end
    act(block)
  end
end

--- The block's file; on no block, that of the code.
local function pin_here(name)
  return function()
    local block = here()
    if block and not block.uri then
      return tell.say("this block is of no file.")
    end
    change_pin(name, block and block.uri or vim.uri_from_bufnr(code()))
  end
end

function M.context()
  toggle("context", "PalimpsestCursor", {
    ["<CR>"] = { on_block(open_source), "open the block's source" },
    K = { on_block(show_text), "show the block's text" },
    p = { pin_here("pin"), "pin the block's file" },
    u = { pin_here("unpin"), "unpin the block's file" },
    d = { on_block(drop), "drop the block" },
  })
end

function M.cache()
  toggle("cache", "PalimpsestStatus", { X = { M.reset, "reset the cache" } })
end

--- Of the name under the cursor, now.
function M.why()
  local one = client.expect()
  local at = one and vim.lsp.util.make_position_params(0, one.offset_encoding)
  local asked = at and { name = "why", uri = at.textDocument.uri, position = at.position }
  client.command("palimpsest.page", asked, function(page)
    local buffer, lines, marks = scratch.buffer("why", "palimpsest-why"), rows(page)
    scratch.set(buffer, lines, marks)
    scratch.float(buffer, page.title, 40)
  end)
end

function M.reset()
  client.command("palimpsest.cache.reset", nil, function()
    tell.say("the cache of this window is empty.")
    M.refresh("cache")
  end)
end

--- `:Palimpsest context.pin [file]`; without one, the file of this buffer.
local function pin(name)
  return function(words)
    change_pin(name, words[1] and vim.uri_from_fname(vim.fn.fnamemodify(words[1], ":p")) or vim.uri_from_bufnr(0))
  end
end

M.pin, M.unpin = pin("pin"), pin("unpin")

return M
