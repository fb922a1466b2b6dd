--- Draws a next edit: what goes struck through, what comes beside or below it, never over text or where nobody sees it;
--- and where it is, when that is farther off.
local place = require("palimpsest.next_edit_place")
local shown = require("palimpsest.shown")

local M = {}

---@class palimpsest.Offered
---@field edit table one of `palimpsest/nextEdit`
---@field total integer
---@field buffer integer -1 where its file is not open
---@field place? palimpsest.Place where its file is open
---@field encoding string
---@field jumped? boolean a person went there to see it

local api = vim.api
local space = api.nvim_create_namespace("palimpsest.next_edit")
local diff = vim.text and vim.text.diff or vim.diff
--- Rows between the cursor and an edit that is made without a jump.
local NEAR = 2
local GOES, COMES = { "PalimpsestNextDelete", "PalimpsestNextStruck" }, "PalimpsestNextAdd"

function M.clear()
  for _, buffer in ipairs(api.nvim_list_bufs()) do
    api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  end
end

local function mark(buffer, row, column, options)
  api.nvim_buf_set_extmark(buffer, space, row, column, options)
end

--- The columns that text has in a window.
local function width_of(window)
  return api.nvim_win_get_width(window) - vim.fn.getwininfo(window)[1].textoff
end

--- A line as virtual lines of some width.
---@return [string, string][][]
local function wrapped(text, width, group)
  local lines, line = {}, ""
  for _, char in ipairs(vim.fn.split(text, "\\zs")) do
    if line ~= "" and vim.fn.strdisplaywidth(line .. char) > width then
      table.insert(lines, { { line, group } })
      line = ""
    end
    line = line .. char
  end
  table.insert(lines, { { line == "" and " " or line, group } })
  return lines
end

--- Where two versions of a line differ, in bytes of the old one, and what comes there: whole words, unless something is
--- only put in.
---@return integer from, integer to, string text
local function difference(old, new)
  local head, tail = place.common(old, new)
  if head + tail < #old and head + tail < #new then
    head = head - #old:sub(1, head):match("[%w_\128-\255]*$")
    tail = tail - #old:sub(#old - tail + 1):match("^[%w_\128-\255]*")
  end
  return head, #old - tail, new:sub(head + 1, #new - tail)
end

---@class palimpsest.Canvas
---@field buffer integer
---@field width integer
---@field wraps boolean
---@field tab integer
---@field last integer the last row of what is replaced
---@field below integer how many lines are drawn below that

---@param canvas palimpsest.Canvas
---@param is_above? boolean
local function lines_below(canvas, row, lines, is_above)
  local drawn = {}
  for _, line in ipairs(lines) do
    vim.list_extend(drawn, wrapped(shown.expanded(line, 0, canvas.tab), canvas.width, COMES))
  end
  if #drawn > 0 then
    mark(canvas.buffer, row, 0, { virt_lines = drawn, virt_lines_above = is_above })
  end
  canvas.below = canvas.below + (row == canvas.last and #drawn or 0)
end

---@param canvas palimpsest.Canvas
local function strike(canvas, row, from, to)
  mark(canvas.buffer, row, from, { end_col = to, hl_group = GOES })
end

---@param canvas palimpsest.Canvas
local function strike_line(canvas, row, line)
  local indent = #line:match("^%s*")
  if indent == #line then -- a stroke where there is nothing to be struck through
    return mark(canvas.buffer, row, #line, { virt_text = { { " ", GOES } }, virt_text_pos = "inline" })
  end
  strike(canvas, row, indent, #line)
end

--- In its line, where it is recognized there and seen.
---@param canvas palimpsest.Canvas
---@return boolean
local function within(canvas, row, old, new)
  local from, to, text = difference(old, new)
  local is_alike = from == to or text == "" or (old:sub(1, from) .. old:sub(to + 1)):find("[%w_\128-\255]")
  local at = vim.fn.strdisplaywidth(old:sub(1, to))
  text = shown.expanded(text, at, canvas.tab)
  if not is_alike or (not canvas.wraps and at + vim.fn.strdisplaywidth(text) > canvas.width) then
    return false
  end
  if from < to then
    strike(canvas, row, from, to)
  end
  if text ~= "" then
    mark(canvas.buffer, row, to, { virt_text = { { text, COMES } }, virt_text_pos = "inline" })
  end
  return true
end

--- Old lines as they would be: each in its line where that can be, else all below them.
---@param canvas palimpsest.Canvas
local function replace(canvas, row, old, new)
  local each = #old == #new
  if not each and #old < #new then
    each = vim.iter(ipairs(old)):all(function(n, line)
      local head, tail = place.common(line, new[n])
      return head + tail == #line
    end)
  end
  for n, line in ipairs(old) do
    if not (each and within(canvas, row + n - 1, line, new[n])) then
      strike_line(canvas, row + n - 1, line)
      lines_below(canvas, row + n - 1, each and { new[n] } or {})
    end
  end
  lines_below(canvas, row + #old - 1, each and vim.list_slice(new, #old + 1) or new)
end

---@param window? integer where it is looked at
---@return integer drawn below the last of its lines
local function draw_here(buffer, at, window)
  local tab = vim.bo[buffer].tabstop
  local canvas = { buffer = buffer, width = 80, wraps = true, tab = tab, last = at.end_row, below = 0 }
  if window then
    canvas.width, canvas.wraps = width_of(window), vim.wo[window].wrap
  end
  local old = api.nvim_buf_get_lines(buffer, at.row, at.end_row + 1, true)
  local new = vim.split(old[1]:sub(1, at.column) .. at.text .. old[#old]:sub(at.end_column + 1), "\n")
  local options = { result_type = "indices", algorithm = "histogram" }
  for _, hunk in ipairs(diff(table.concat(old, "\n") .. "\n", table.concat(new, "\n") .. "\n", options)) do
    local from, n_old, to, n_new = unpack(hunk)
    local come = vim.list_slice(new, to, to + n_new - 1)
    local row = at.row + from - 1
    if n_old > 0 then
      replace(canvas, row, vim.list_slice(old, from, from + n_old - 1), come)
    elseif row >= 0 then
      lines_below(canvas, row, come)
    else
      lines_below(canvas, 0, come, true)
      if window and vim.fn.line("w0", window) == 1 then -- else nobody sees what is above the first line
        api.nvim_win_call(window, function()
          vim.fn.winrestview({ topfill = n_new })
        end)
      end
    end
  end
  return canvas.below
end

--- At the end of the cursor's line, with the key as a person reads it: what it would do and what for, where there is
--- room; below the line where there is none.
---@param now palimpsest.Offered
local function hint(now, does, why)
  local keys = require("palimpsest.config").get().keys
  local key = keys and keys.tab and keys.tab:gsub("[<>]", "") or ":Palimpsest nextEdit"
  local more = now.total > 1 and (" (%d)"):format(now.total) or ""
  local row, width = api.nvim_win_get_cursor(0)[1] - 1, width_of(api.nvim_get_current_win())
  local used = vim.fn.virtcol("$") - 1 -- with what is drawn in it
  used = vim.wo.wrap and used % width or used
  local short = (" %s %s%s"):format(key, does, more)
  for _, text in ipairs({ why and (" %s %s: %s%s"):format(key, does, why, more) or short, short }) do
    if used + vim.fn.strdisplaywidth(text) < width then
      local chunk = { text, "PalimpsestNextHint" }
      return mark(0, row, 0, { virt_text = { chunk }, virt_text_pos = "eol", hl_mode = "combine" })
    end
  end
  mark(0, row, 0, { virt_lines = wrapped(short, width, "PalimpsestNextHint") })
end

--- Whether it is so near the cursor that it is looked at, with all that is drawn below it, or a person went there.
---@param now palimpsest.Offered
---@param below integer
local function is_seen(now, below)
  local at, row = now.place, api.nvim_win_get_cursor(0)[1] - 1
  if now.buffer ~= api.nvim_get_current_buf() or row < at.row - NEAR or row > at.end_row + NEAR then
    return false
  end
  local first = vim.fn.line("w0") - 1
  local is_off = at.row < first or at.end_row + 1 > vim.fn.line("w$") or vim.fn.foldclosed(at.row + 1) ~= -1
  if now.jumped or is_off then
    return now.jumped == true
  end
  local height = api.nvim_win_text_height(0, { start_row = first, end_row = at.end_row }).all
  return below == 0 or height + below <= api.nvim_win_get_height(0)
end

---@param now palimpsest.Offered
---@return boolean is_near whether it is seen at the cursor, so that the key makes it
function M.draw(now)
  M.clear()
  local here, at, below = api.nvim_get_current_buf(), now.place, 0
  if at then
    local window = now.buffer == here and api.nvim_get_current_win() or vim.fn.bufwinid(now.buffer)
    below = draw_here(now.buffer, at, window ~= -1 and window or nil)
  end
  local message = now.edit.message
  if now.buffer ~= here then
    local name = vim.fn.fnamemodify(vim.uri_to_fname(now.edit.textDocument.uri), ":~:.")
    local line = at and at.row or now.edit.range.start.line
    hint(now, ("→ %s:%d"):format(name, line + 1), message)
    return false
  end
  if is_seen(now, below) then
    hint(now, "accepts", message)
    return true
  end
  if at.row + 1 < vim.fn.line("w0") then
    hint(now, ("↑ line %d"):format(at.row + 1), message)
  elseif at.row + 1 > vim.fn.line("w$") then
    hint(now, ("↓ line %d"):format(at.row + 1), message)
  else
    hint(now, ("→ line %d"):format(at.row + 1))
  end
  return false
end

--- Where the cursor has gone to see it.
---@param now palimpsest.Offered
function M.reveal(now)
  if not M.draw(now) then
    vim.cmd("normal! zz")
  end
  now.jumped = true
  M.draw(now)
end

return M
