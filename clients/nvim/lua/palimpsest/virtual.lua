--- `palimpsest:/…`: documents that the server writes, as buffers that can only be read.
local client = require("palimpsest.client")

local M = {}

local api = vim.api
local filetypes = {} ---@type table<string, string> by URI

---@return string? uri
local function uri_of(name)
  local path = name:match("palimpsest:/+(%a+/?[^/].*)$")
  return path and "palimpsest:/" .. path
end

--- The name of the buffer for a document, which may be a file; `language` is one of LSP's.
---@param language? string
function M.name(uri, language)
  filetypes[uri] = language ~= "" and language or nil
  return (vim.uri_to_fname(uri):gsub("^palimpsest:/", "palimpsest://"))
end

--- The lines of one, by its name or URI.
---@param done fun(lines: string[])
function M.lines(name, done)
  client.command("palimpsest.virtual.read", { uri = uri_of(name) }, function(answer)
    done(vim.split(answer.text:gsub("\r\n?", "\n"):gsub("\n$", ""), "\n"))
  end)
end

local function fill(buffer, uri)
  M.lines(uri, function(lines)
    if not api.nvim_buf_is_valid(buffer) then
      return
    end
    require("palimpsest.scratch").set(buffer, lines)
    local is_usage = uri:find(":/usage/") ~= nil
    for _, window in ipairs(is_usage and vim.fn.win_findbuf(buffer) or {}) do
      vim.wo[window][0].wrap = false -- a broken bar is none
    end
    local known = filetypes[uri] or vim.filetype.match({ filename = uri }) or (is_usage and "markdown")
    if known and vim.bo[buffer].filetype ~= known then
      vim.bo[buffer].filetype = known
    end
  end)
end

--- For `BufReadCmd`.
function M.read(buffer, name)
  local uri = uri_of(name)
  if uri then
    vim.bo[buffer].buftype, vim.bo[buffer].swapfile, vim.bo[buffer].undofile = "nofile", false, false
    fill(buffer, uri)
  end
end

--- Those of a conversation that are open are asked for again.
function M.refresh(conversation)
  for _, buffer in ipairs(api.nvim_list_bufs()) do
    local uri = api.nvim_buf_is_loaded(buffer) and uri_of(api.nvim_buf_get_name(buffer))
    if uri and vim.bo[buffer].buftype == "nofile" and uri:find(conversation, 1, true) then
      fill(buffer, uri)
    end
  end
end

return M
