--- Buffers and windows of our own: splits, tabs and floats with lines that are coloured in parts.
local M = {}

local api = vim.api
local space = api.nvim_create_namespace("palimpsest.scratch")

---@alias palimpsest.Chunk [string, string?] text and highlight group
---@alias palimpsest.Row palimpsest.Chunk[]

---@param name string as `palimpsest://name`
---@param filetype? string
---@return integer
function M.buffer(name, filetype)
  local full = "palimpsest://" .. name
  local buffer = vim.fn.bufnr("^" .. vim.fn.escape(full, "[]*?{},\\") .. "$")
  if buffer == -1 then
    buffer = api.nvim_create_buf(false, true)
    api.nvim_buf_set_name(buffer, full)
  end
  vim.bo[buffer].bufhidden = "wipe"
  vim.bo[buffer].swapfile = false
  if filetype and vim.bo[buffer].filetype ~= filetype then
    vim.bo[buffer].filetype = filetype
  end
  return buffer
end

---@param buffer integer
---@param lines string[]
function M.set(buffer, lines)
  vim.bo[buffer].modifiable = true
  api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
end

--- Rows of coloured chunks.
---@param buffer integer
---@param rows palimpsest.Row[]
function M.draw(buffer, rows)
  local lines, marks = {}, {}
  for row, chunks in ipairs(rows) do
    local line = ""
    for _, chunk in ipairs(chunks) do
      if chunk[2] then
        table.insert(marks, { row - 1, #line, #line + #chunk[1], chunk[2] })
      end
      line = line .. chunk[1]:gsub("\n", " ")
    end
    lines[row] = line
  end
  api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  M.set(buffer, lines)
  for _, mark in ipairs(marks) do
    api.nvim_buf_set_extmark(buffer, space, mark[1], mark[2], { end_col = mark[3], hl_group = mark[4] })
  end
end

---@param buffer integer
---@param keys table<string, { [1]: fun(), [2]: string }>
function M.keys(buffer, keys)
  for key, one in pairs(keys) do
    vim.keymap.set("n", key, one[1], { buffer = buffer, nowait = true, desc = "Palimpsest: " .. one[2] })
  end
end

local function plain(window)
  for name, value in pairs({ number = false, relativenumber = false, wrap = false, signcolumn = "no", list = false }) do
    vim.wo[window][0][name] = value
  end
end

---@param buffer integer
---@return integer window
function M.split(buffer)
  local there = vim.fn.win_findbuf(buffer)[1]
  if there then
    return there
  end
  local width = math.min(60, math.floor(vim.o.columns / 2))
  local window = api.nvim_open_win(buffer, false, { split = "right", width = width })
  plain(window)
  return window
end

---@param buffer integer
---@param title string
---@param width integer
---@param height integer
---@return integer window
function M.float(buffer, title, width, height)
  local there = vim.fn.win_findbuf(buffer)[1]
  width, height = math.min(width, vim.o.columns - 4), math.min(height, vim.o.lines - 4)
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
  if there then
    api.nvim_win_set_config(there, where)
    return there
  end
  local window = api.nvim_open_win(buffer, true, where)
  plain(window)
  return window
end

---@param buffer integer
function M.close(buffer)
  if api.nvim_buf_is_valid(buffer) then
    api.nvim_buf_delete(buffer, { force = true })
  end
end

--- A bar of `width` cells of which a share is filled.
---@param share number 0 to 1
---@param width integer
---@return string filled, string free
function M.bar(share, width)
  local filled = math.floor(math.max(0, math.min(1, share)) * width + 0.5)
  return ("█"):rep(filled), ("░"):rep(width - filled)
end

return M
