--- Highlight groups, linked to what every colour scheme has.  `:help palimpsest-highlights`.
local M = {}

local LINKS = {
  PalimpsestGhost = "Comment",
  PalimpsestHint = "NonText",
  PalimpsestNextAdd = "DiffAdd",
  PalimpsestNextDelete = "DiffDelete",
  PalimpsestNextHint = "DiagnosticHint",
  PalimpsestTitle = "Title",
  PalimpsestDim = "Comment",
  PalimpsestKey = "Special",
  PalimpsestFree = "NonText",
  PalimpsestStored = "DiagnosticUnnecessary",
  PalimpsestReady = "DiagnosticOk",
  PalimpsestBusy = "DiagnosticInfo",
  PalimpsestDegraded = "DiagnosticWarn",
  PalimpsestOff = "DiagnosticError",
}

--- Kinds of blocks in the cache map, by what they are called in code.
M.KINDS = {
  filesystem = "Directory",
  class = "Type",
  scope = "Identifier",
  package = "PreProc",
  documentation = "String",
  file = "Constant",
  rules = "Statement",
  diff = "Special",
  header = "Comment",
  editing = "Function",
}

---@param kind string
function M.of_kind(kind)
  return M.KINDS[kind] and "PalimpsestKind" .. kind:sub(1, 1):upper() .. kind:sub(2) or "PalimpsestKindOther"
end

local function link()
  local links = vim.tbl_extend("force", {}, LINKS, { PalimpsestKindOther = "Normal" })
  if vim.fn.hlexists("ComplHint") == 1 then
    links.PalimpsestGhost = "ComplHint"
  end
  for kind, group in pairs(M.KINDS) do
    links[M.of_kind(kind)] = group
  end
  for group, target in pairs(links) do
    vim.api.nvim_set_hl(0, group, { link = target, default = true })
  end
  vim.api.nvim_set_hl(0, "PalimpsestNextStruck", { strikethrough = true, default = true })
end

function M.define()
  link()
  vim.api.nvim_create_autocmd("ColorScheme", {
    group = vim.api.nvim_create_augroup("palimpsest.highlights", { clear = true }),
    callback = link,
  })
end

return M
