--- `palimpsest:/…`: documents that the server writes, as buffers that can only be read.
local client = require("palimpsest.client")

local M = {}

local api = vim.api
local PATTERN = "palimpsest:/+(%a+/.+)$"

local filetypes = {} ---@type table<string, string> by URI

---@param name string
---@return string? uri
local function uri_of(name)
  local rest = name:match(PATTERN)
  return rest and "palimpsest:/" .. rest
end

--- The name of the buffer for a document; `language` is one of LSP's.
---@param kind "ref"|"fd"|"usage"|"turn"|"export"
---@param parts string[]
---@param language? string
---@return string
function M.name(kind, parts, language)
  local path = kind .. "/" .. table.concat(vim.tbl_map(vim.uri_encode, parts), "/")
  if language and language ~= "" then
    filetypes["palimpsest:/" .. path] = language
  end
  return "palimpsest://" .. path
end

---@param buffer integer
---@param uri string
local function fill(buffer, uri)
  client.command("palimpsest.virtual.read", { uri = uri }, function(answer)
    if not answer or not api.nvim_buf_is_valid(buffer) then
      return
    end
    local text = answer.text:gsub("\n$", "")
    vim.bo[buffer].modifiable = true
    api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, "\n", { plain = true }))
    vim.bo[buffer].modifiable, vim.bo[buffer].modified = false, false
    local known = filetypes[uri] or vim.filetype.match({ filename = uri }) or (uri:find(":/usage/") and "markdown")
    for _, window in ipairs(uri:find(":/usage/") and vim.fn.win_findbuf(buffer) or {}) do
      vim.wo[window][0].wrap = false -- a broken bar is none
    end
    if known and vim.bo[buffer].filetype ~= known then
      vim.bo[buffer].filetype = known
    end
  end)
end

--- For `BufReadCmd`.
---@param buffer integer
---@param name string
function M.read(buffer, name)
  local uri = uri_of(name)
  if uri then
    vim.bo[buffer].buftype, vim.bo[buffer].swapfile, vim.bo[buffer].undofile = "nofile", false, false
    fill(buffer, uri)
  end
end

---@param name string
function M.open(name)
  vim.cmd.split(vim.fn.fnameescape(name))
end

--- Those of a conversation that are open are asked for again.
---@param conversation string
function M.refresh(conversation)
  for _, buffer in ipairs(api.nvim_list_bufs()) do
    local uri = api.nvim_buf_is_loaded(buffer) and uri_of(api.nvim_buf_get_name(buffer))
    if uri and vim.bo[buffer].buftype == "nofile" and uri:find(conversation, 1, true) then
      fill(buffer, uri)
    end
  end
end

return M
