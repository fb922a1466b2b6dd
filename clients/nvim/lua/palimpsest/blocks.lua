--- One block of context: its file, its text, a line about it.  Keeps nothing.
local client = require("palimpsest.client")
local highlights = require("palimpsest.highlights")
local scratch = require("palimpsest.scratch")

local M = {}

local STATES = { resident = "●", stored = "◐", wanted = "○" }

---@class palimpsest.Block
---@field type string
---@field name string
---@field editable boolean
---@field text string
---@field tokens integer
---@field span? [integer, integer]
---@field state "resident"|"stored"|"wanted"
---@field uri? string
---@field line? integer
---@field source? string

---@param block palimpsest.Block
---@return palimpsest.Row
function M.row(block)
  local span = type(block.span) == "table" and ("  %d–%d"):format(block.span[1], block.span[2]) or ""
  return {
    { STATES[block.state] .. " ", highlights.of_kind(block.type) },
    { ("%-14s"):format(block.type), highlights.of_kind(block.type) },
    { (" %s"):format(block.name) },
    { block.source == "pin" and "  pinned" or "", "PalimpsestKey" },
    { ("  %d tokens%s"):format(block.tokens, span), "PalimpsestDim" },
  }
end

--- The file that a block is of, as far as its name tells it.
---@param block palimpsest.Block
---@return string? uri
function M.file_of(block)
  if type(block.uri) == "string" then
    return block.uri
  end
  local one, path = client.get(), block.name:match("^[^#]+")
  for _, folder in ipairs(one and one.workspace_folders or {}) do
    local full = vim.fs.joinpath(vim.uri_to_fname(folder.uri), path)
    local stat = vim.uv.fs_stat(full)
    if stat and stat.type == "file" then
      return vim.uri_from_fname(full)
    end
  end
end

--- Its text in a float.
---@param block palimpsest.Block
---@param language string
function M.show(block, language)
  local buffer = scratch.buffer("block/" .. block.type .. "/" .. block.name)
  local lines = vim.split(block.text, "\n", { plain = true })
  scratch.set(buffer, lines)
  vim.bo[buffer].syntax = language
  local width = 20
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  scratch.float(buffer, block.name, math.min(width, 100), math.min(#lines, 30))
  local function close()
    scratch.close(buffer)
  end
  scratch.keys(buffer, { q = { close, "close" }, ["<Esc>"] = { close, "close" } })
end

return M
