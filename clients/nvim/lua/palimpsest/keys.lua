--- Keys in buffers with Palimpsest, and what they were before.  Owner of our mappings.
local config = require("palimpsest.config")

local M = {}

local api = vim.api

---@class palimpsest.Key
---@field mode string
---@field key string
---@field old? table the buffer's own mapping before ours

M.set_keys = {} ---@type table<integer, palimpsest.Key[]>
local waiting ---@type fun()?

function M.run()
  assert(waiting)()
end

--- Keys that do what the key did before: returned from an expression mapping that is not remapped.
---@param old table? as `maparg` gives it
local function old_keys(old, key)
  if not old then
    return vim.keycode(key)
  end
  local keys = (old.rhs or ""):gsub("<SID>", "<SNR>" .. (old.sid or 0) .. "_")
  if old.expr == 1 then
    local found = old.callback and old.callback() or api.nvim_eval(keys ~= "" and keys or "''")
    keys = type(found) == "string" and found or ""
    keys = old.replace_keycodes == 1 and vim.keycode(keys) or keys
  elseif old.callback then
    waiting = old.callback
    return vim.keycode("<Cmd>lua require('palimpsest.keys').run()<CR>")
  else
    keys = vim.keycode(keys)
  end
  if old.noremap == 1 or keys == vim.keycode(key) then
    return keys
  end
  api.nvim_feedkeys(keys, "im", false)
  return ""
end

--- The global mapping as it is now.
local function of_all(mode, key)
  return vim.iter(api.nvim_get_keymap(mode)):find(function(mapping)
    return vim.keycode(mapping.lhs) == vim.keycode(key)
  end)
end

local otherwise ---@type fun(): string

--- Does what a key is for now, and where there turns out to be nothing to do, what the key was.  Of keys that come at
--- once, Neovim asks what a later one is before it has put in the earlier ones.
function M.try(name)
  if require("palimpsest")[name]() == false then
    api.nvim_feedkeys(otherwise(), "in", false)
  end
end

--- Until `detach`, which gives the buffer its own mapping back.
---@param keys fun(): string? what to type instead; nil: what the key was
function M.map(buffer, mode, key, description, keys)
  local old = vim.fn.maparg(key, mode, false, true)
  local is_own = old.buffer == 1 and not vim.startswith(old.desc or "", "Palimpsest")
  local one = { mode = mode, key = key, old = is_own and old or nil }
  local function what_it_was()
    return old_keys(one.old or of_all(mode, key), key)
  end
  vim.keymap.set(mode, key, function()
    otherwise = what_it_was
    return keys() or what_it_was()
  end, { buffer = buffer, expr = true, replace_keycodes = false, desc = "Palimpsest: " .. description })
  table.insert(M.set_keys[buffer], one)
end

--- Undone by itself: what was typed before and what is accepted are two steps.
local function call(name)
  local undo = require("palimpsest.events").inserting() and vim.keycode("<C-g>u") or ""
  return undo .. vim.keycode(("<Cmd>lua require('palimpsest.keys').try('%s')<CR>"):format(name))
end

local function visible(part)
  return function()
    return require("palimpsest." .. part).visible()
  end
end

local completion_visible, edit_visible = visible("completion"), visible("next_edits")

--- The next edit, else the completion, else what closes behind an accepted one, else what Tab was.  A completion menu
--- keeps its Tab.
local function tab()
  if require("palimpsest.events").menu_is_open() then
    return nil
  elseif edit_visible() then
    return call("next_edit")
  elseif completion_visible() then
    return call("accept")
  elseif require("palimpsest.closing").is_due() then
    return vim.keycode("<Cmd>lua require('palimpsest.keys').try('jump')<CR>")
  end
end

--- By the setting's name: modes, what `palimpsest` has, when (false: always), what it does.
local KEYS = {
  { "accept_word", "i", "accept_word", completion_visible, "accept a word" },
  { "accept_line", "i", "accept_line", completion_visible, "accept a line" },
  { "next", "i", "next", false, "next alternative" },
  { "previous", "i", "previous", false, "previous alternative" },
  { "complete", "in", "complete", false, "complete here" },
  { "show", "i", "show", false, "show the completion" },
  { "dismiss", "i", "dismiss", completion_visible, "hide the completion" },
  { "dismiss_edit", "ni", "dismiss_edit", edit_visible, "dismiss the next edit" },
  { "escape", "n", "dismiss_edit", edit_visible, "dismiss the next edit or Escape" },
  { "tab", "n", "next_edit", edit_visible, "next edit or Tab" },
}

function M.attach(buffer)
  local keys = config.get().keys or {}
  M.set_keys[buffer] = {}
  if keys.tab then
    M.map(buffer, "i", keys.tab, "next edit, completion or Tab", tab)
  end
  for _, row in ipairs(KEYS) do
    local name, modes, what, is_due, description = unpack(row)
    local wanted = keys[name] and (name ~= "show" or config.get().completion.show == "key")
    for mode in (wanted and modes or ""):gmatch(".") do
      M.map(buffer, mode, keys[name], description, function()
        return (not is_due or is_due()) and call(what) or nil
      end)
    end
  end
end

--- Gives the buffer its own mappings back.
function M.detach(buffer)
  for _, one in ipairs(api.nvim_buf_is_valid(buffer) and M.set_keys[buffer] or {}) do
    pcall(vim.keymap.del, one.mode, one.key, { buffer = buffer })
    if one.old then
      api.nvim_buf_call(buffer, function()
        vim.fn.mapset(one.mode, false, one.old)
      end)
    end
  end
  M.set_keys[buffer] = nil
end

return M
