--- The completion at the cursor as an item of a menu, for the plugins that put menus together from many sources
--- (`blink.lua`, `nvim_cmp.lua`).  Places count bytes.
local M = {}

M.TRIGGERS = { ".", "(", "[", "{", "=", "," }

local TEXT, PLAIN, SNIPPET = 1, 1, 2 -- LSP's kinds of items, and formats

function M.is_available()
  return require("palimpsest.client").get(vim.api.nvim_get_current_buf()) ~= nil
end

---@param choice palimpsest.Choice
---@return lsp.CompletionItem
local function item(choice)
  local _, row, column = require("palimpsest.shown").here()
  local text = choice.typed .. choice.rest
  local first, more = text:match("^%s*([^\n]*)(.*)$")
  local range = {
    start = { line = row, character = column - #choice.typed },
    ["end"] = { line = row, character = column },
  }
  return {
    label = first .. (more ~= "" and " …" or ""),
    labelDetails = { description = "Palimpsest" },
    kind = TEXT,
    filterText = text,
    textEdit = { newText = choice.snippet or text, range = range },
    insertTextFormat = choice.snippet and SNIPPET or PLAIN,
    documentation = more ~= "" and { kind = "markdown", value = ("```%s\n%s\n```"):format(vim.bo.filetype, text) }
      or nil,
    data = choice,
  }
end

---@param done fun(items: lsp.CompletionItem[]) called once
function M.items(done)
  require("palimpsest.completion").choices(function(choices)
    done(vim.tbl_map(item, choices))
  end)
end

--- It stands in the buffer: it is counted, and brings its imports.
---@param accepted lsp.CompletionItem
function M.accepted(accepted)
  local choice = accepted.data
  require("palimpsest.completion").count(vim.api.nvim_get_current_buf(), choice, "all", choice.rest)
end

return M
