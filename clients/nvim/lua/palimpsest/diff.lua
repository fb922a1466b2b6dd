--- Shows edits before they are applied: a tab with each document as it is and as it would be, in diff mode.  Owner of
--- that tab.
local scratch = require("palimpsest.scratch")
local tell = require("palimpsest.tell")

local M = {}

local api = vim.api

---@class palimpsest.Preview
---@field tab integer
---@field home integer the window it was asked from
---@field suggestions table[]
---@field index integer the suggestion that is shown, or the one under the cursor
---@field document integer
---@field windows table<integer, integer> suggestion by window
---@field side_by_side boolean

local now ---@type palimpsest.Preview?

--- The suggestion under the cursor, else the one that is shown; nil where the tab is closed.
---@return table?
function M.current()
  if now and api.nvim_tabpage_is_valid(now.tab) then
    return now.suggestions[now.windows[api.nvim_get_current_win()] or now.index]
  end
end

local show

--- Another suggestion, or another document of this one.
local function turn(by, by_documents)
  return function()
    local there = assert(now)
    there.index = (there.index - 1 + by) % #there.suggestions + 1
    local n_documents = #there.suggestions[there.index].documents
    there.document = by == 0 and (there.document - 1 + by_documents) % n_documents + 1 or 1
    show()
  end
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

local KEYS = {
  ["<CR>"] = { "<Cmd>Palimpsest edit.accept<CR>", "apply all of this edit" },
  x = { "<Cmd>Palimpsest edit.reject<CR>", "reject it" },
  r = { "<Cmd>Palimpsest edit.again<CR>", "ask again" },
  c = { "<Cmd>Palimpsest edit.continue<CR>", "continue it" },
  q = { M.close, "close without applying" },
  ["]e"] = { turn(1), "next suggestion" },
  ["[e"] = { turn(-1), "previous suggestion" },
  ["]f"] = { turn(0, 1), "next file of this edit" },
  ["[f"] = { turn(0, -1), "previous file of this edit" },
}

--- A copy of the document; the document itself is not touched and gets no keys of ours.
---@param original integer
---@param lines? string[] what it would be; nil: as it is
local function copy(original, kind, lines)
  local buffer = scratch.buffer(kind .. "/" .. vim.fn.fnamemodify(api.nvim_buf_get_name(original), ":~:."))
  scratch.set(buffer, lines or api.nvim_buf_get_lines(original, 0, -1, false))
  scratch.keys(buffer, KEYS)
  local language = vim.bo[original].filetype
  pcall(vim.treesitter.start, buffer, vim.treesitter.language.get_lang(language))
  if not vim.treesitter.highlighter.active[buffer] then
    vim.bo[buffer].syntax = language
  end
  return buffer
end

--- As it is shown in a window's bar: what that holds is evaluated, and names of files and texts are not ours.
local function plain(text)
  return (text:gsub("%c", " "):gsub("%%", "%%%%"))
end

---@param there palimpsest.Preview
local function title(there, index)
  local suggestion = there.suggestions[index]
  local text = ("%%#PalimpsestTitle# %d/%d %%#Normal#%s"):format(index, #there.suggestions, plain(suggestion.title))
  if #suggestion.documents > 1 and not there.side_by_side then
    text = ("%s%%#PalimpsestDim# file %d of %d"):format(text, there.document, #suggestion.documents)
  end
  return text
end

--- The files it changes, the keys.
local function help(suggestion)
  local names = vim.tbl_map(function(document)
    return vim.fn.fnamemodify(vim.uri_to_fname(document.uri), ":~:.")
  end, suggestion.documents)
  local keys = "<CR> apply  x reject  r again  c continue  ]e [e suggestions  q close"
  local more = #names > 1 and "  ]f [f files" or ""
  return ("%%#PalimpsestDim# as it is: %s  │ %s%s"):format(plain(table.concat(names, ", ")), keys, more)
end

local function diff_mode(window, winbar)
  api.nvim_win_call(window, vim.cmd.diffthis)
  vim.wo[window][0].winbar = winbar
end

--- One document of a suggestion beside what it would be; side by side, every suggestion for it.
show = function()
  local there = assert(now)
  local first = there.suggestions[there.index]
  local uri = first.documents[there.document].uri
  local original, focus = vim.uri_to_bufnr(uri), nil
  vim.fn.bufload(original)
  api.nvim_set_current_tabpage(there.tab)
  vim.cmd.diffoff({ bang = true })
  vim.cmd.only({ mods = { silent = true } })
  there.windows = {}
  api.nvim_win_set_buf(0, copy(original, "now"))
  diff_mode(api.nvim_get_current_win(), help(first))
  for index, suggestion in ipairs(there.suggestions) do
    if there.side_by_side or index == there.index then
      local buffer = copy(original, ("edit/%d"):format(index), suggestion.drafts[uri])
      local beside = api.nvim_open_win(buffer, true, { split = "right" })
      there.windows[beside] = index
      focus = index == there.index and beside or focus
      diff_mode(beside, title(there, index))
    end
  end
  vim.cmd.wincmd("=")
  api.nvim_set_current_win(assert(focus))
  local change = first.edit.documentChanges[there.document].edits[1]
  pcall(api.nvim_win_set_cursor, 0, { change.range.start.line + 1, 0 })
  vim.cmd("normal! zz")
end

local function begin(suggestions, side_by_side)
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
  show()
  if side_by_side and #suggestions == 1 then
    tell.say("all replies came to the same edit.")
  end
end

--- When each document is there as it would be.
function M.open(suggestions, side_by_side)
  local missing = 0
  for _, suggestion in ipairs(suggestions) do
    suggestion.drafts = {}
    for _, document in ipairs(suggestion.documents) do
      missing = missing + 1
      scratch.lines(document.draft, function(lines)
        missing, suggestion.drafts[document.uri] = missing - 1, lines
        if missing == 0 then
          begin(suggestions, side_by_side)
        end
      end)
    end
  end
end

return M
