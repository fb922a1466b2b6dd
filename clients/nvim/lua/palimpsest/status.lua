--- The state of server and engine: a component for the status line, and a float with the cause and what can be done.
local client = require("palimpsest.client")
local find = require("palimpsest.find")
local highlights = require("palimpsest.highlights")
local scratch = require("palimpsest.scratch")
local state = require("palimpsest.state")

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

--- For 'statusline', in buffers with Palimpsest: sign, model, tokens, milliseconds.
function M.line()
  if not package.loaded["palimpsest.start"] then
    return ""
  end
  local status, snoozed = state.status, state.snoozed()
  local sign = SIGNS[status.state]
  if not require("palimpsest.switches").completes(api.nvim_get_current_buf()) then
    sign = SIGNS.loading .. " off here"
  elseif snoozed ~= "" then
    sign = SIGNS.loading .. " snoozed " .. snoozed
  elseif status.state ~= "ready" and status.state ~= "busy" then
    sign = sign .. " " .. status.state
  end
  local parts = { sign, status.model, status.brief, require("palimpsest.progress").text() }
  return (table.concat(parts, " "):gsub("  +", " "):gsub(" $", ""))
end

---@return palimpsest.Row[]
local function rows()
  local status, snoozed, found = state.status, state.snoozed(), find.found or {}
  local all = {} ---@type palimpsest.Row[]
  local function row(name, text, kind)
    if text and text ~= "" then
      table.insert(all, { { ("%-10s"):format(name), "PalimpsestDim" }, { text, kind and highlights.of_kind(kind) } })
    end
  end
  row("state", SIGNS[status.state] .. " " .. status.state, status.state)
  row("cause", status.cause ~= "" and status.cause or status.message)
  row("snooze", snoozed ~= "" and snoozed .. " left")
  row("model", status.model ~= "" and status.model or "–")
  row("cache", status.figures.cache)
  row("last", status.figures.last)
  row("chat", status.figures.chat)
  row("server", found.command and ("%s (%s)"):format(table.concat(found.command, " "), found.how))
  row("version", found.version)
  row("running", client.get() and "yes" or "no")
  table.insert(all, { { "" } })
  local line = {} ---@type palimpsest.Row
  for _, action in ipairs(ACTIONS) do
    vim.list_extend(line, { { action[1], "PalimpsestKey" }, { " " .. action[2] .. "  " } })
  end
  table.insert(all, vim.list_extend(line, { { "q", "PalimpsestKey" }, { " close" } }))
  return all
end

--- The float; it follows the status.
function M.open()
  local buffer = scratch.buffer("status", "palimpsest-status")
  local function draw()
    if not api.nvim_buf_is_valid(buffer) then
      return true -- the event is not listened to any more
    end
    local lines, marks = scratch.coloured(rows())
    scratch.set(buffer, lines, marks)
    scratch.float(buffer, "Palimpsest", math.max(40, scratch.width(lines)) + 1, #lines)
  end
  draw()
  api.nvim_create_autocmd("User", { pattern = "PalimpsestStatus", callback = draw })
  for _, action in ipairs(ACTIONS) do
    local key, what, id = unpack(action)
    local function run()
      scratch.closer(buffer)()
      require("palimpsest.commands").call(id)
    end
    scratch.keys(buffer, { [key] = { run, what } })
  end
end

return M
