--- Other completion providers in this Neovim: said once, with what to switch off.  Both go on working.
local M = {}

--- How one is seen, and what a person does about it.
local LIST = {
  { name = "copilot.lua", module = "copilot", off = "`suggestion = { enabled = false }` in its setup()" },
  {
    name = "copilot.vim",
    variable = "loaded_copilot",
    off = "`let g:copilot_enabled = v:false`, or `:Copilot disable`",
  },
  { name = "Copilot's language server", server = "copilot", off = '`vim.lsp.enable("copilot", false)`' },
  { name = "codeium", command = "Codeium", off = "`let g:codeium_enabled = v:false`" },
  { name = "minuet", command = "Minuet", off = "`:Minuet virtualtext disable`" },
  { name = "llama.vim", command = "LlamaDisable", off = "`:LlamaDisable`" },
  { name = "supermaven", command = "SupermavenStop", off = "`:SupermavenStop`" },
  { name = "tabnine", command = "TabnineDisable", off = "`:TabnineDisable`" },
  { name = "tabby", command = "Tabby", off = "`let g:tabby_inline_completion_trigger = 'manual'`" },
}

---@return { name: string, off: string }[]
function M.found()
  return vim.tbl_filter(function(other)
    return other.command and vim.fn.exists(":" .. other.command) == 2
      or other.variable and vim.g[other.variable] ~= nil and package.loaded.copilot == nil -- which sets it, too
      or other.server and #vim.lsp.get_clients({ name = other.server }) > 0
      or other.module and package.loaded[other.module] ~= nil
  end, LIST)
end

--- After a moment, in which lazily loaded plugins come.
function M.say()
  vim.defer_fn(function()
    local names, offs = {}, {}
    for _, other in ipairs(M.found()) do
      table.insert(names, other.name)
      table.insert(offs, ("%s: %s"):format(other.name, other.off))
    end
    if #names > 0 then
      local text = "%s completes here, too; both go on working. To see one of them alone, switch off %s; "
        .. 'or Palimpsest\'s: `completion = { trigger = "manual" }`. `other_providers = false` leaves this message out.'
      require("palimpsest.tell").warn(text:format(table.concat(names, " and "), table.concat(offs, "; ")))
    end
  end, 2000)
end

return M
