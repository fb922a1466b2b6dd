--- Keys in buffers with Palimpsest, and what they were before.  Owner of our mappings.
local config = require("palimpsest.config")

local M = {}

local api = vim.api

---@type table<integer, table<string, table>> by buffer, mode and key: the buffer's own mapping before ours
local before = {}

--- Keys that do what the key did before: returned from an expression mapping that is not remapped.
---@param old table? as `maparg` gives it
---@param key string
local function old_keys(old, key)
  if not old or vim.tbl_isempty(old) then
    return vim.keycode(key)
  end
  local keys
  if old.expr == 1 then
    local found = old.callback and old.callback()
      or api.nvim_eval((old.rhs or "''"):gsub("<SID>", "<SNR>" .. old.sid .. "_"))
    keys = type(found) == "string" and found or ""
    keys = old.replace_keycodes == 1 and vim.keycode(keys) or keys
  elseif old.callback then
    local id = #M.waiting + 1
    M.waiting[id] = old.callback
    return vim.keycode(("<Cmd>lua require('palimpsest.keys').run(%d)<CR>"):format(id))
  else
    keys = vim.keycode((old.rhs or ""):gsub("<SID>", "<SNR>" .. old.sid .. "_"))
  end
  if old.noremap == 1 or keys == vim.keycode(key) then
    return keys
  end
  api.nvim_feedkeys(keys, "im", false)
  return ""
end

M.waiting = {} ---@type function[]

---@param id integer
function M.run(id)
  local call = M.waiting[id]
  M.waiting = {}
  call()
end

--- What the key is without us: the buffer's own mapping of before, else the global one as it is now.
local function old_mapping(buffer, mode, key)
  local own = (before[buffer] or {})[mode .. key]
  if own then
    return own
  end
  local wanted = vim.keycode(key)
  for _, mapping in ipairs(api.nvim_get_keymap(mode)) do
    if vim.keycode(mapping.lhs) == wanted then
      return mapping
    end
  end
end

---@param buffer integer
---@param mode string
---@param key string
---@param description string
---@param keys fun(): string? what to type instead; nil: what the key was
local function map(buffer, mode, key, description, keys)
  local old = vim.fn.maparg(key, mode, false, true)
  before[buffer] = before[buffer] or {}
  if old.buffer == 1 and not (old.desc or ""):find("^Palimpsest") then
    before[buffer][mode .. key] = old
  end
  vim.keymap.set(mode, key, function()
    return keys() or old_keys(old_mapping(buffer, mode, key), key)
  end, { buffer = buffer, expr = true, replace_keycodes = false, desc = "Palimpsest: " .. description })
  M.set_keys[buffer] = M.set_keys[buffer] or {}
  table.insert(M.set_keys[buffer], { mode, key })
end

M.set_keys = {} ---@type table<integer, string[][]>

--- Undone by itself: what was typed before and what is accepted are two steps.
local function call(name)
  local undo = api.nvim_get_mode().mode:find("^i") and vim.keycode("<C-g>u") or ""
  return undo .. vim.keycode(("<Cmd>lua require('palimpsest').%s()<CR>"):format(name))
end

local function completion()
  return require("palimpsest.completion")
end

local function next_edits()
  return require("palimpsest.next_edits")
end

--- The next edit, else the completion, else what closes behind an accepted one, else what Tab was.  A completion menu
--- keeps its Tab.
local function tab()
  if require("palimpsest.menu").is_open() then
    return nil
  elseif next_edits().visible() then
    return call("next_edit")
  elseif completion().visible() then
    return call("accept")
  elseif require("palimpsest.closers").follow() then
    return vim.keycode("<Cmd>lua require('palimpsest').jump()<CR>")
  end
end

local function when(visible, name)
  return function()
    return visible() and call(name) or nil
  end
end

---@param buffer integer
function M.set(buffer)
  local keys = config.get().keys
  if not keys then
    return
  end
  local function visible()
    return completion().visible()
  end
  local function edit_visible()
    return next_edits().visible()
  end
  local function always()
    return true
  end
  local wanted = {
    { "i", keys.tab, "next edit, completion or Tab", tab },
    { "n", keys.tab, "next edit or Tab", when(edit_visible, "next_edit") },
    { "i", keys.accept_word, "accept a word", when(visible, "accept_word") },
    { "i", keys.accept_line, "accept a line", when(visible, "accept_line") },
    { "i", keys.next, "next alternative", when(always, "next") },
    { "i", keys.previous, "previous alternative", when(always, "previous") },
    { "i", keys.complete, "complete here", when(always, "complete") },
    { "n", keys.complete, "complete here", when(always, "complete") },
    { "i", config.get().completion.show == "key" and keys.show, "show the completion", when(always, "show") },
    { "i", keys.dismiss, "hide the completion", when(visible, "dismiss") },
    { "n", keys.dismiss_edit, "dismiss the next edit", when(edit_visible, "dismiss_edit") },
    { "i", keys.dismiss_edit, "dismiss the next edit", when(edit_visible, "dismiss_edit") },
  }
  for _, one in ipairs(wanted) do
    if one[2] then
      map(buffer, one[1], one[2], one[3], one[4])
    end
  end
end

--- Gives the buffer its own mappings back.
---@param buffer integer
function M.clear(buffer)
  local old = before[buffer] or {}
  for _, one in ipairs(api.nvim_buf_is_valid(buffer) and M.set_keys[buffer] or {}) do
    local mode, key = one[1], one[2]
    pcall(vim.keymap.del, mode, key, { buffer = buffer })
    if old[mode .. key] then
      api.nvim_buf_call(buffer, function()
        vim.fn.mapset(mode, false, old[mode .. key])
      end)
    end
  end
  before[buffer], M.set_keys[buffer] = nil, nil
end

return M
