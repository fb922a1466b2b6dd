--- The state of server and engine: a component for the status line, and a float with the cause and what can be done.
local client = require("palimpsest.client")
local scratch = require("palimpsest.scratch")
local state = require("palimpsest.state")

local M = {}

local api = vim.api
local GROUPS = {
  ready = "PalimpsestReady",
  busy = "PalimpsestBusy",
  loading = "PalimpsestBusy",
  degraded = "PalimpsestDegraded",
  off = "PalimpsestOff",
}
local SIGNS = { ready = "●", busy = "◍", loading = "○", degraded = "◐", off = "✗" }

--- Keys of the float, what they do, and the command that does it.
local ACTIONS = {
  { "e", "restart the engine", "restartEngine" },
  { "s", "restart the server", "restartServer" },
  { "l", "log", "log" },
  { "d", "doctor", "doctor" },
}

local function short(n)
  return n >= 1000 and ("%.1fk"):format(n / 1000) or tostring(n)
end

--- For 'statusline', in buffers with Palimpsest: sign, model, tokens, milliseconds.
function M.line()
  if not package.loaded["palimpsest.start"] then
    return ""
  end
  local status, word, snoozed = state.status, state.word(), state.snoozed()
  local sign = SIGNS[word]
  if not require("palimpsest.switches").completes(api.nvim_get_current_buf()) then
    sign = SIGNS.loading .. " off here"
  elseif snoozed ~= "" then
    sign = SIGNS.loading .. " snoozed " .. snoozed
  elseif word == "off" or word == "degraded" or word == "loading" then
    sign = sign .. " " .. word
  end
  local tokens = status.tokens
  local parts = {
    sign,
    status.model,
    tokens.total > 0 and ("%s/%s"):format(short(tokens.used), short(tokens.total)) or "",
    status.last.ms > 0 and ("%d ms"):format(status.last.ms) or "",
    require("palimpsest.progress").text(),
  }
  return (table.concat(parts, " "):gsub("  +", " "):gsub(" $", ""))
end

---@return palimpsest.Row[]
local function rows()
  local status, word, last = state.status, state.word(), state.status.last
  local all = {} ---@type palimpsest.Row[]
  local function row(name, text, group)
    if text and text ~= "" then
      table.insert(all, { { ("%-10s"):format(name), "PalimpsestDim" }, { text, group } })
    end
  end
  row("state", SIGNS[word] .. " " .. word, GROUPS[word])
  row("cause", status.cause and status.cause ~= "" and status.cause or status.message)
  row("snooze", state.snoozed() ~= "" and state.snoozed() .. " left")
  row("model", status.model ~= "" and status.model or "–")
  row("cache", ("%d of %d tokens"):format(status.tokens.used, status.tokens.total))
  row("last", ("%d decoded, %d reused, %d ms"):format(last.decoded, last.reused, last.ms))
  local talk = status.conversation
  if talk then
    local kept = talk.kv == "leave" and ("cache stays, %d as they were"):format(talk.left) or "decoded again"
    row("chat", ("%d of %d tokens; blocks change: %s"):format(talk.used, talk.total, kept))
  end
  local found = require("palimpsest.start").found()
  if found then
    row("server", ("%s (%s)"):format(table.concat(found.command, " "), found.how))
    row("version", found.version)
  end
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
