--- What the server last said of itself and its engine, and what goes on and takes long: the server's progress and the
--- installation's.  `User PalimpsestStatus` comes with each change of the status.  A component for the status line, and
--- a float with the cause and what can be done.  Owner of the status.
local client = require("palimpsest.client")
local find = require("palimpsest.find")
local highlights = require("palimpsest.highlights")
local scratch = require("palimpsest.scratch")

local M = {}

local api = vim.api
local SIGNS = { ready = "●", busy = "◍", loading = "○", degraded = "◐", off = "✗" }

--- Keys of the float, what they do, and the command that does it.
local ACTIONS = {
  { "e", "restart the engine", "restartEngine" },
  { "s", "restart the server", "restartServer" },
  { "l", "log", "log" },
  { "d", "doctor", "doctor" },
}

local NOTHING = {
  kind = "Inactive",
  state = "off",
  cause = "",
  message = "",
  model = "",
  brief = "",
  snoozed = "",
}

M.now = NOTHING ---@type table what it last said
M.progress = "" -- one line; empty where nothing goes on
local figures = {} ---@type string[] its lines "name: figures"

local function is_text(one)
  return type(one) == "string" and one:find("^.-: ") ~= nil
end

--- Its texts are of one line: they stand in status lines and rows.
function M.told(status)
  local given = type(status) == "table" and status or {}
  M.now = {}
  for name, nothing in pairs(NOTHING) do
    M.now[name] = type(given[name]) == "string" and given[name]:gsub("%c+", " ") or nothing
  end
  if not SIGNS[M.now.state] then
    M.now.state = NOTHING.state
  end
  figures = vim.iter(vim.islist(given.figures) and given.figures or {}):filter(is_text):totable()
  api.nvim_exec_autocmds("User", { pattern = "PalimpsestStatus", modeline = false })
  vim.cmd.redrawstatus({ bang = true })
end

--- Says what goes on; nothing more where the text is empty.
---@param echo? boolean on the command line, too
function M.goes_on(text, echo)
  M.progress = text
  vim.cmd.redrawstatus({ bang = true })
  if echo then
    api.nvim_echo({ { text ~= "" and "Palimpsest: " .. text or "" } }, false, {})
  end
end

local function on_progress(event)
  local value = event.data.params and event.data.params.value
  if not client.is_of(event) or type(value) ~= "table" then
    return
  elseif value.kind == "end" then
    return M.goes_on("")
  end
  local title = value.title or M.progress:match("^[^:]+") or "busy"
  local share = value.percentage and (", %d %%"):format(value.percentage) or ""
  local rest = (value.message or "") .. share
  M.goes_on(rest ~= "" and title .. ": " .. rest:gsub("^, ", "") or title)
end

function M.listen()
  api.nvim_create_autocmd("LspProgress", { group = "palimpsest", callback = on_progress })
end

--- For 'statusline', in buffers with Palimpsest: sign, model, tokens, milliseconds.
function M.line()
  if not package.loaded["palimpsest.start"] then
    return ""
  end
  local status = M.now
  local sign = SIGNS[status.state]
  if not require("palimpsest.switches").completes(api.nvim_get_current_buf()) then
    sign = SIGNS.loading .. " off here"
  elseif status.snoozed ~= "" then
    sign = SIGNS.loading .. " snoozed " .. status.snoozed
  elseif status.state ~= "ready" and status.state ~= "busy" then
    sign = sign .. " " .. status.state
  end
  local parts = { sign, status.model, status.brief, M.progress }
  return (table.concat(parts, " "):gsub("  +", " "):gsub(" $", ""))
end

---@return string[] lines, palimpsest.Mark[] marks
local function rows()
  local status, found, lines, marks = M.now, find.found or {}, {}, {}
  local function row(name, text, kind)
    if text and text ~= "" then
      local label = ("%-13s"):format(name:lower())
      table.insert(marks, { #lines, 0, #label, "PalimpsestDim" })
      if kind then
        table.insert(marks, { #lines, #label, #label + #text, highlights.of_kind(kind) })
      end
      table.insert(lines, label .. text:gsub("%c+", " "))
    end
  end
  row("state", SIGNS[status.state] .. " " .. status.state, status.state)
  row("cause", status.cause ~= "" and status.cause or status.message)
  row("snooze", status.snoozed ~= "" and status.snoozed .. " left")
  row("model", status.model ~= "" and status.model or "–")
  for _, figure in ipairs(figures) do
    row(figure:gsub("%c+", " "):match("^(.-): (.*)$"))
  end
  row("server", found.command and ("%s (%s)"):format(table.concat(found.command, " "), found.how))
  row("version", found.version)
  row("running", client.get() and "yes" or "no")
  local keys = ""
  for _, action in ipairs(ACTIONS) do
    table.insert(marks, { #lines + 1, #keys, #keys + 1, "PalimpsestKey" })
    keys = ("%s%s %s  "):format(keys, action[1], action[2])
  end
  table.insert(marks, { #lines + 1, #keys, #keys + 1, "PalimpsestKey" })
  return vim.list_extend(lines, { "", keys .. "q close" }), marks
end

--- The float; it follows the status.
function M.open()
  local buffer = scratch.buffer("status", "palimpsest-status")
  local function draw()
    if not api.nvim_buf_is_valid(buffer) then
      return true -- the event is not listened to any more
    end
    scratch.set(buffer, rows())
    scratch.float(buffer, "Palimpsest", 40)
  end
  draw()
  api.nvim_create_autocmd("User", { pattern = "PalimpsestStatus", callback = draw })
  for _, action in ipairs(ACTIONS) do
    local key, what, id = unpack(action)
    scratch.keys(buffer, { [key] = { ("<Cmd>bwipeout! | Palimpsest %s<CR>"):format(id), what } })
  end
end

return M
