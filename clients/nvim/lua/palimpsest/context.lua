--- What the model sees of the code at the cursor, in a split that follows the cursor: the code itself, blocks with
--- tokens and state, budgets.  Owner of that split.
local blocks = require("palimpsest.blocks")
local budgets = require("palimpsest.budgets")
local client = require("palimpsest.client")
local scratch = require("palimpsest.scratch")
local tell = require("palimpsest.tell")

local M = {}

local api = vim.api

---@class palimpsest.ContextView
---@field buffer integer
---@field source integer the buffer whose cursor it follows
---@field blocks table<integer, palimpsest.Block> by line of the split
---@field shown string[] names of the blocks, for tests and scripts

local now ---@type palimpsest.ContextView?
local group = api.nvim_create_augroup("palimpsest.context", { clear = true })

---@param answer table
---@param usage table?
local function draw(answer, usage)
  local view = assert(now)
  local editing = answer.editing
  local rows = { ---@type palimpsest.Row[]
    { { ("%s %s"):format(editing.type, editing.name), "PalimpsestTitle" }, { "  " .. editing.file, "PalimpsestDim" } },
    { { "" } },
  }
  if usage then
    budgets.usage(usage, rows)
  end
  budgets.last_event(rows)
  table.insert(rows, { { ("Blocks (%d)"):format(#answer.blocks), "PalimpsestTitle" } })
  view.blocks, view.shown = {}, {}
  for _, block in ipairs(answer.blocks) do
    table.insert(rows, blocks.row(block))
    view.blocks[#rows] = block
    table.insert(view.shown, block.name)
  end
  table.insert(rows, { { "" } })
  table.insert(rows, { { "● in the cache  ◐ stored  ○ wanted", "PalimpsestDim" } })
  table.insert(rows, { { "<CR> source  K text  p pin  u unpin  d drop", "PalimpsestDim" } })
  table.insert(rows, { { "R again  q close", "PalimpsestDim" } })
  scratch.draw(view.buffer, rows)
end

--- Asks again, for where the cursor is.
function M.refresh()
  local view = now
  if not view or not api.nvim_buf_is_valid(view.buffer) then
    return
  end
  local window = vim.fn.win_findbuf(view.source)[1]
  local one = client.get(view.source)
  if not window or not one then
    return
  end
  local place = { uri = client.uri(view.source), position = client.position(one, window) }
  local quiet = { buffer = view.source, quiet = true }
  client.command("palimpsest.context.show", place, function(answer)
    client.command("palimpsest.context.usage", place, function(usage)
      if now == view and api.nvim_buf_is_valid(view.buffer) and answer then
        draw(answer, usage)
      end
    end, quiet)
  end, quiet)
end

---@return palimpsest.Block?
local function under_cursor()
  local block = now and now.blocks[api.nvim_win_get_cursor(0)[1]]
  if not block then
    tell.say("put the cursor on a block.")
  end
  return block
end

---@param block palimpsest.Block
local function show_text(block)
  blocks.show(block, now and api.nvim_buf_is_valid(now.source) and vim.bo[now.source].filetype or "")
end

local function open_source()
  local block = under_cursor()
  if not block then
    return
  end
  local uri = blocks.file_of(block)
  if not uri then
    return show_text(block)
  end
  local window = now and vim.fn.win_findbuf(now.source)[1]
  if window then
    api.nvim_set_current_win(window)
  end
  local at = { line = type(block.line) == "number" and block.line or 0, character = 0 }
  vim.lsp.util.show_document({ uri = uri, range = { start = at, ["end"] = at } }, client.encoding(), { focus = true })
end

---@param name "pin"|"unpin"
---@param uri string
local function change_pin(name, uri)
  client.command("palimpsest.context." .. name, { uri = uri }, function(answer)
    if answer then
      local what = name == "pin" and "is held in the context" or "is let go"
      tell.say(("%s %s (%d tokens)."):format(answer.name, what, answer.tokens))
      M.refresh()
    end
  end)
end

---@param name "pin"|"unpin"
local function change_pin_here(name)
  return function()
    local block = now and now.blocks[api.nvim_win_get_cursor(0)[1]]
    local uri = block and blocks.file_of(block) or (not block and now and client.uri(now.source))
    if not uri then
      return tell.say("this block is of no file.")
    end
    change_pin(name, uri)
  end
end

local function drop()
  local block = under_cursor()
  if not block then
    return
  end
  if block.source == "pin" and type(block.uri) == "string" then
    return change_pin("unpin", block.uri)
  end
  client.command("palimpsest.context.drop", { type = block.type, name = block.name }, function(answer)
    if answer and not answer.dropped then
      tell.say("this block is gathered from the code; only pinned files and blocks put from outside can be dropped.")
    end
    M.refresh()
  end)
end

--- `:Palimpsest context.pin [file]`; without one, the file of this buffer.
---@param words string[]
function M.pin(words)
  local name = words[1] and vim.fn.fnamemodify(words[1], ":p")
  change_pin("pin", name and vim.uri_from_fname(name) or client.uri(0))
end

---@param words string[]
function M.unpin(words)
  local name = words[1] and vim.fn.fnamemodify(words[1], ":p")
  change_pin("unpin", name and vim.uri_from_fname(name) or client.uri(0))
end

local function close()
  local view = now
  now = nil
  api.nvim_clear_autocmds({ group = group })
  if view then
    scratch.close(view.buffer)
  end
end

--- Opens the split, or closes it where it is open.
function M.open()
  if now and api.nvim_buf_is_valid(now.buffer) then
    return close()
  end
  local source = api.nvim_get_current_buf()
  if not client.expect(source) then
    return
  end
  local buffer = scratch.buffer("context", "palimpsest-context")
  now = { buffer = buffer, source = source, blocks = {}, shown = {} }
  scratch.set(buffer, { "…" })
  scratch.split(buffer)
  scratch.keys(buffer, {
    ["<CR>"] = { open_source, "open the block's source" },
    K = {
      function()
        local block = under_cursor()
        return block and show_text(block)
      end,
      "show the block's text",
    },
    p = { change_pin_here("pin"), "pin the block's file" },
    u = { change_pin_here("unpin"), "unpin the block's file" },
    d = { drop, "drop the block" },
    R = { M.refresh, "ask again" },
    q = { close, "close" },
  })
  api.nvim_create_autocmd("User", { group = group, pattern = "PalimpsestCursor", callback = M.refresh })
  api.nvim_create_autocmd("BufEnter", {
    group = group,
    callback = function(event)
      if now and client.get(event.buf) then
        now.source = event.buf
      end
    end,
  })
  M.refresh()
end

---@return palimpsest.ContextView?
function M.current()
  return now
end

return M
