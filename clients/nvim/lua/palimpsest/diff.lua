--- Shows edits before they are applied: a tab with each document as it is and as it would be, in diff mode.  Owner of
--- that tab.
local scratch = require("palimpsest.scratch")
local tell = require("palimpsest.tell")

local M = {}

local api = vim.api

---@class palimpsest.Preview
---@field tab integer
---@field home integer the window it was asked from
---@field suggestions palimpsest.Suggestion[]
---@field index integer the suggestion that is shown, or the one under the cursor
---@field document integer
---@field windows table<integer, integer> suggestion by window
---@field side_by_side boolean

local now ---@type palimpsest.Preview?

---@param suggestion palimpsest.Suggestion
---@param uri string
---@return lsp.TextEdit[]
local function edits_of(suggestion, uri)
  for _, change in ipairs(suggestion.edit.documentChanges or {}) do
    if change.textDocument.uri == uri then
      return change.edits
    end
  end
  return (suggestion.edit.changes or {})[uri] or {}
end

---@return palimpsest.Suggestion
local function chosen()
  local at = assert(now).windows[api.nvim_get_current_win()]
  return now.suggestions[at or now.index]
end

local function apply()
  local suggestion = chosen()
  M.close()
  require("palimpsest.edits").apply(suggestion, true)
end

local show

local function turn(by)
  local there = assert(now)
  there.index = (there.index - 1 + by) % #there.suggestions + 1
  there.document = 1
  require("palimpsest.edits").choose(there.suggestions[there.index])
  show()
end

local function turn_document(by)
  local there = assert(now)
  there.document = (there.document - 1 + by) % #there.suggestions[there.index].documents + 1
  show()
end

local function with_last(name)
  return function()
    require("palimpsest.edits").choose(chosen())
    require("palimpsest.edits")[name]()
  end
end

local KEYS = {
  ["<CR>"] = { apply, "apply all of this edit" },
  x = { with_last("reject"), "reject it" },
  r = { with_last("again"), "ask again" },
  c = { with_last("go_on"), "continue it" },
  q = {
    function()
      M.close()
    end,
    "close without applying",
  },
  ["]e"] = {
    function()
      turn(1)
    end,
    "next suggestion",
  },
  ["[e"] = {
    function()
      turn(-1)
    end,
    "previous suggestion",
  },
  ["]f"] = {
    function()
      turn_document(1)
    end,
    "next file of this edit",
  },
  ["[f"] = {
    function()
      turn_document(-1)
    end,
    "previous file of this edit",
  },
}

--- A copy of the document, with the edits made; the document itself is not touched and gets no keys of ours.
---@param original integer
---@param kind string
---@param edits lsp.TextEdit[]
local function copy(original, kind, edits)
  local name = vim.fn.fnamemodify(api.nvim_buf_get_name(original), ":~:.")
  local buffer = scratch.buffer(kind .. "/" .. name)
  vim.bo[buffer].modifiable = true
  api.nvim_buf_set_lines(buffer, 0, -1, false, api.nvim_buf_get_lines(original, 0, -1, false))
  vim.lsp.util.apply_text_edits(edits, buffer, require("palimpsest.client").encoding())
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
  scratch.keys(buffer, KEYS)
  local language = vim.bo[original].filetype
  pcall(vim.treesitter.start, buffer, vim.treesitter.language.get_lang(language))
  if not vim.treesitter.highlighter.active[buffer] then
    vim.bo[buffer].syntax = language
  end
  return buffer
end

--- As it is shown in a window's bar: what that holds is evaluated, and names of files and texts are not ours.
---@param text string
local function plain(text)
  return (text:gsub("%c", " "):gsub("%%", "%%%%"))
end

---@param suggestion palimpsest.Suggestion
---@param index integer
local function title(suggestion, index)
  local there = assert(now)
  local parts = { ("%%#PalimpsestTitle# %d/%d "):format(index, #there.suggestions) }
  table.insert(parts, "%#Normal#" .. plain(suggestion.summary ~= "" and suggestion.summary or "An edit"))
  if suggestion.agreement < 1 then
    table.insert(parts, (" (%d %%%% agree)"):format(math.floor(suggestion.agreement * 100 + 0.5)))
  end
  for _, flag in ipairs(suggestion.flags) do
    table.insert(parts, " %#DiagnosticWarn#" .. plain(flag))
  end
  if #suggestion.documents > 1 and not there.side_by_side then
    table.insert(parts, ("%%#PalimpsestDim# file %d of %d"):format(there.document, #suggestion.documents))
  end
  return table.concat(parts)
end

--- The files it changes, the keys.
local function help(suggestion)
  local names = {}
  for _, document in ipairs(suggestion.documents) do
    table.insert(names, vim.fn.fnamemodify(vim.uri_to_fname(document.uri), ":~:."))
  end
  local keys = "<CR> apply  x reject  r again  c continue  ]e [e suggestions  q close"
  if #names > 1 then
    keys = keys .. "  ]f [f files"
  end
  return ("%%#PalimpsestDim# %s: %s  │ %s"):format("as it is", plain(table.concat(names, ", ")), keys)
end

---@param window integer
local function diff_mode(window, winbar)
  api.nvim_win_call(window, function()
    vim.cmd.diffthis()
  end)
  vim.wo[window][0].winbar = winbar
end

--- One document of a suggestion beside what it would be; side by side, every suggestion for it.
show = function()
  local there = assert(now)
  local first = there.suggestions[there.index]
  local uri = first.documents[there.document].uri
  local original = vim.uri_to_bufnr(uri)
  vim.fn.bufload(original)
  api.nvim_set_current_tabpage(there.tab)
  vim.cmd.diffoff({ bang = true })
  vim.cmd.only({ mods = { silent = true } })
  there.windows = {}
  api.nvim_win_set_buf(0, copy(original, "now", {}))
  diff_mode(api.nvim_get_current_win(), help(first))
  for index, suggestion in ipairs(there.suggestions) do
    if there.side_by_side or index == there.index then
      local buffer = copy(original, ("edit/%d"):format(index), edits_of(suggestion, uri))
      local beside = api.nvim_open_win(buffer, true, { split = "right" })
      there.windows[beside] = index
      diff_mode(beside, title(suggestion, index))
    end
  end
  vim.cmd.wincmd("=")
  local edits = edits_of(first, uri)
  for beside, index in pairs(there.windows) do
    if index == there.index then
      api.nvim_set_current_win(beside)
    end
  end
  if edits[1] then
    pcall(api.nvim_win_set_cursor, 0, { edits[1].range.start.line + 1, 0 })
    vim.cmd("normal! zz")
  end
end

---@param suggestions palimpsest.Suggestion[]
---@param side_by_side boolean
function M.open(suggestions, side_by_side)
  M.close()
  local home = api.nvim_get_current_win()
  vim.cmd.tabnew()
  vim.bo.bufhidden = "wipe"
  now = {
    tab = api.nvim_get_current_tabpage(),
    home = home,
    suggestions = suggestions,
    index = 1,
    document = 1,
    windows = {},
    side_by_side = side_by_side and #suggestions > 1,
  }
  if side_by_side and #suggestions == 1 then
    tell.say("all replies came to the same edit.")
  end
  show()
end

--- Closes the tab; nothing is applied.
function M.close()
  local there = now
  now = nil
  if not there or not api.nvim_tabpage_is_valid(there.tab) then
    return
  end
  api.nvim_set_current_tabpage(there.tab)
  vim.cmd.diffoff({ bang = true })
  if #api.nvim_list_tabpages() > 1 then
    vim.cmd.tabclose()
  end
  if api.nvim_win_is_valid(there.home) then
    api.nvim_set_current_win(there.home)
  end
end

---@return palimpsest.Preview?
function M.current()
  return now
end

return M
