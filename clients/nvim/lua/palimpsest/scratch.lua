--- Buffers and windows of our own: splits and floats with text that is coloured in parts; `palimpsest:/…`,
--- documents that the server writes, which can only be read.
local client = require("palimpsest.client")

local M = {}

local api = vim.api
local space = api.nvim_create_namespace("palimpsest.scratch")

local filetypes = {} ---@type table<string, string> of documents of the server, by URI

local CLOSE = { "<Cmd>bwipeout!<CR>", "close" }

---@alias palimpsest.Mark [integer, integer, integer, string] row, bytes from and to, highlight group

---@param name string as `palimpsest://name`
function M.buffer(name, filetype)
  local full = "palimpsest://" .. name
  local buffer = vim.fn.bufnr("^" .. vim.fn.escape(full, "[]*?{},\\") .. "$")
  if buffer == -1 then
    buffer = api.nvim_create_buf(false, true)
    api.nvim_buf_set_name(buffer, full)
  end
  vim.bo[buffer].bufhidden, vim.bo[buffer].swapfile = "wipe", false
  M.keys(buffer, { q = CLOSE })
  if filetype and vim.bo[buffer].filetype ~= filetype then
    vim.bo[buffer].filetype = filetype
  end
  return buffer
end

---@param marks? palimpsest.Mark[]
function M.set(buffer, lines, marks)
  vim.bo[buffer].modifiable = true
  api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable, vim.bo[buffer].modified = false, false
  api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  for _, mark in ipairs(marks or {}) do
    api.nvim_buf_set_extmark(buffer, space, mark[1], mark[2], { end_col = mark[3], hl_group = mark[4] })
  end
end

---@param keys table<string, { [1]: string|fun(), [2]: string }>
function M.keys(buffer, keys)
  for key, one in pairs(keys) do
    vim.keymap.set("n", key, one[1], { buffer = buffer, nowait = true, desc = "Palimpsest: " .. one[2] })
  end
end

--- In a new window, unless it is in one; whether it was new.
local function in_window(buffer, enter, where)
  local there = vim.fn.win_findbuf(buffer)[1]
  if there then
    return there, false
  end
  local window = api.nvim_open_win(buffer, enter, where)
  for name, value in pairs({ number = false, relativenumber = false, wrap = false, signcolumn = "no", list = false }) do
    vim.wo[window][0][name] = value
  end
  return window, true
end

---@return integer window
function M.split(buffer)
  return (in_window(buffer, false, { split = "right", width = math.min(60, math.floor(vim.o.columns / 2)) }))
end

--- As large as its text, within bounds.
---@param least integer its width
function M.float(buffer, title, least)
  M.keys(buffer, { ["<Esc>"] = CLOSE })
  local lines = api.nvim_buf_get_lines(buffer, 0, -1, false)
  local longest = vim.fn.max(vim.tbl_map(vim.fn.strdisplaywidth, lines))
  local width = math.min(math.max(longest, least), 100, vim.o.columns - 4)
  local height = math.min(#lines, 30, vim.o.lines - 4)
  local where = {
    relative = "editor",
    width = width,
    height = height,
    row = math.floor((vim.o.lines - height) / 2) - 1,
    col = math.floor((vim.o.columns - width) / 2),
    border = "rounded",
    title = " " .. title .. " ",
    title_pos = "center",
    style = "minimal",
  }
  local window, is_new = in_window(buffer, true, where)
  if not is_new then
    api.nvim_win_set_config(window, where)
  end
end

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
    M.set(buffer, lines)
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
