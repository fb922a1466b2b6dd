--- What a conversation's document says of itself: its id, in the front matter.
local M = {}

local api = vim.api
local SUFFIX = ".palimpsest.md"
local HEAD_LINES = 40

M.SUFFIX = SUFFIX

---@param lines string[]
---@return string?
local function id_in(lines)
  for row = 2, lines[1] == "---" and #lines or 0 do
    local id = lines[row]:match("^id:%s*(c%-%x+)%s*$")
    if id or lines[row] == "---" then
      return id
    end
  end
end

--- The id in a conversation's document; nil for any other, and for one that nothing was said in.
---@param buffer integer
---@return string?
function M.id(buffer)
  return id_in(api.nvim_buf_get_lines(buffer, 0, HEAD_LINES, false))
end

--- Whether it is a conversation's document, also one that nothing was said in.
---@param buffer integer
function M.is(buffer)
  local name = api.nvim_buf_get_name(buffer)
  return vim.endswith(name, SUFFIX) or (name ~= "" and vim.bo[buffer].buftype == "" and M.id(buffer) ~= nil)
end

--- Its file, if that still shows it.
---@param one { conversation: string, uri: string }
---@return string? path
function M.file(one)
  local path = vim.startswith(one.uri, "file:") and vim.uri_to_fname(one.uri) or ""
  local is_there = vim.fn.filereadable(path) == 1
  return is_there and id_in(vim.fn.readfile(path, "", HEAD_LINES)) == one.conversation and path or nil
end

return M
