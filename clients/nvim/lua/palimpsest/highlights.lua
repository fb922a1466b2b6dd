--- Highlight groups, linked to what every colour scheme has; kinds of blocks have colours of their own, since schemes
--- give several of their groups one colour.  `:help palimpsest-highlights`.
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
  PalimpsestKindHeader = "Comment",
  PalimpsestKindOther = "Normal",
}
--- A grey for terminals with 256 colours, where a scheme has none for them: Neovim's own gives `NonText` 24 bits alone.
local GREY = 244
--- On a light background and on a dark one: the colour, and the number of the nearest in a terminal with 256.
local KIND_COLOURS = {
  Filesystem = { light = { "#00696b", 23 }, dark = { "#5fd7d7", 80 } },
  Class = { light = { "#005faf", 25 }, dark = { "#87afff", 111 } },
  Scope = { light = { "#8700af", 91 }, dark = { "#d787ff", 177 } },
  Package = { light = { "#875f00", 94 }, dark = { "#d7af5f", 179 } },
  Documentation = { light = { "#006400", 22 }, dark = { "#87d787", 114 } },
  File = { light = { "#af5f00", 130 }, dark = { "#ffaf5f", 215 } },
  Rules = { light = { "#af005f", 125 }, dark = { "#ff87af", 211 } },
  Diff = { light = { "#4e4e4e", 239 }, dark = { "#bcbcbc", 250 } },
  Editing = { light = { "#af0000", 124 }, dark = { "#ff8787", 210 } },
}
local KINDS = { used = "PalimpsestKindClass", pinned = "PalimpsestKey", loading = "PalimpsestBusy" }

--- Of a kind as the server's pages have it, and of a state.
function M.of_kind(kind)
  local name = kind:sub(1, 1):upper() .. kind:sub(2)
  local own, block = "Palimpsest" .. name, "PalimpsestKind" .. name
  local is_kind = LINKS[block] or KIND_COLOURS[name]
  return KINDS[kind] or (LINKS[own] and own) or (is_kind and block) or "PalimpsestKindOther"
end

local function link()
  for group, target in pairs(LINKS) do
    local is_own = group == "PalimpsestGhost" and vim.fn.hlexists("ComplHint") == 1
    local name = is_own and "ComplHint" or target
    local known = vim.api.nvim_get_hl(0, { name = name, link = false })
    local is_plain = name ~= "Normal" and known.fg and not known.ctermfg and next(known.cterm or {}) == nil
    local value = is_plain and { fg = known.fg, bg = known.bg, ctermfg = GREY } or { link = name }
    vim.api.nvim_set_hl(0, group, vim.tbl_extend("force", value, { default = true }))
  end
  for name, colours in pairs(KIND_COLOURS) do
    local colour, number = unpack(colours[vim.o.background])
    vim.api.nvim_set_hl(0, "PalimpsestKind" .. name, { fg = colour, ctermfg = number, default = true })
  end
  vim.api.nvim_set_hl(0, "PalimpsestNextStruck", { strikethrough = true, default = true })
end

function M.define()
  link()
  vim.api.nvim_create_autocmd("ColorScheme", { group = "palimpsest", callback = link })
end

return M
