--- Other completion providers in this Neovim: said once, with what to switch off.  Both go on working.
local M = {}

---@class palimpsest.Other
---@field name string
---@field here fun(): boolean
---@field off string what a person does

local function loaded(...)
  local names = { ... }
  return function()
    return vim.iter(names):any(function(name)
      return package.loaded[name] ~= nil
    end)
  end
end

local function command(...)
  local names = { ... }
  return function()
    return vim.iter(names):any(function(name)
      return vim.fn.exists(":" .. name) == 2
    end)
  end
end

local function client(name)
  return #vim.lsp.get_clients({ name = name }) > 0
end

---@type palimpsest.Other[]
M.LIST = {
  {
    name = "copilot.lua",
    here = loaded("copilot", "copilot.suggestion"),
    off = "`suggestion = { enabled = false }` in its setup()",
  },
  {
    name = "copilot.vim",
    here = function()
      return vim.g.loaded_copilot ~= nil and package.loaded["copilot"] == nil
    end,
    off = "`let g:copilot_enabled = v:false`, or `:Copilot disable`",
  },
  {
    name = "Copilot's language server",
    here = function()
      return client("copilot")
    end,
    off = '`vim.lsp.enable("copilot", false)`',
  },
  { name = "codeium", here = command("Codeium"), off = "`let g:codeium_enabled = v:false`" },
  { name = "minuet", here = command("Minuet"), off = "`:Minuet virtualtext disable`" },
  { name = "llama.vim", here = command("LlamaToggle", "LlamaDisable"), off = "`:LlamaDisable`" },
  { name = "supermaven", here = command("SupermavenStop"), off = "`:SupermavenStop`" },
  { name = "tabnine", here = command("TabnineDisable"), off = "`:TabnineDisable`" },
  { name = "tabby", here = command("Tabby"), off = "`let g:tabby_inline_completion_trigger = 'manual'`" },
}

---@return palimpsest.Other[]
function M.found()
  return vim
    .iter(M.LIST)
    :filter(function(other)
      return other.here()
    end)
    :totable()
end

---@param others palimpsest.Other[]
---@return string
function M.sentence(others)
  local names, offs = {}, {}
  for _, other in ipairs(others) do
    table.insert(names, other.name)
    table.insert(offs, ("%s: %s"):format(other.name, other.off))
  end
  return ("%s completes here, too; both go on working. To see one of them alone, switch off %s; "):format(
    table.concat(names, " and "),
    table.concat(offs, "; ")
  ) .. 'or Palimpsest\'s: `completion = { trigger = "manual" }`. `other_providers = false` leaves this message out.'
end

--- After a moment, in which lazily loaded plugins come.
function M.say()
  vim.defer_fn(function()
    local others = M.found()
    if #others > 0 then
      require("palimpsest.tell").say(M.sentence(others), vim.log.levels.WARN)
    end
  end, 1000)
end

return M
