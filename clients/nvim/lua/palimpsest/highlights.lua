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
  PalimpsestKindFilesystem = "Directory",
  PalimpsestKindClass = "Type",
  PalimpsestKindScope = "Identifier",
  PalimpsestKindPackage = "PreProc",
  PalimpsestKindDocumentation = "String",
  PalimpsestKindFile = "Constant",
  PalimpsestKindRules = "Statement",
  PalimpsestKindDiff = "Special",
  PalimpsestKindHeader = "Comment",
  PalimpsestKindEditing = "Function",
  PalimpsestKindOther = "Normal",
}
local KINDS = { used = "PalimpsestKindClass", pinned = "PalimpsestKey", loading = "PalimpsestBusy" }

--- Of a kind as the server's pages have it, and of a state.
function M.of_kind(kind)
  local name = kind:sub(1, 1):upper() .. kind:sub(2)
  local own, block = "Palimpsest" .. name, "PalimpsestKind" .. name
  return KINDS[kind] or (LINKS[own] and own) or (LINKS[block] and block) or "PalimpsestKindOther"
end

local function link()
  for group, target in pairs(LINKS) do
    local is_own = group == "PalimpsestGhost" and vim.fn.hlexists("ComplHint") == 1
    vim.api.nvim_set_hl(0, group, { link = is_own and "ComplHint" or target, default = true })
  end
  vim.api.nvim_set_hl(0, "PalimpsestNextStruck", { strikethrough = true, default = true })
end

function M.define()
  link()
  vim.api.nvim_create_autocmd("ColorScheme", { group = "palimpsest", callback = link })
end

return M
