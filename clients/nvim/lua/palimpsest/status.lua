--- The state of server and engine: a component for the status line, and a float with the cause and what can be done.
local client = require("palimpsest.client")
local scratch = require("palimpsest.scratch")
local state = require("palimpsest.state")

local M = {}

local GROUPS = {
  ready = "PalimpsestReady",
  busy = "PalimpsestBusy",
  loading = "PalimpsestBusy",
  degraded = "PalimpsestDegraded",
  off = "PalimpsestOff",
}
local SIGNS = { ready = "●", busy = "◍", loading = "○", degraded = "◐", off = "✗" }

---@param n integer
local function short(n)
  return n >= 1000 and ("%.1fk"):format(n / 1000) or tostring(n)
end

--- For 'statusline', in buffers with Palimpsest: sign, model, tokens, milliseconds.
---@return string
function M.line()
  if not package.loaded["palimpsest.start"] then
    return ""
  end
  local status, word = state.status, state.word()
  local parts = { SIGNS[word] }
  if not require("palimpsest.switches").completes(vim.api.nvim_get_current_buf()) then
    parts = { SIGNS.loading, "off here" }
  elseif require("palimpsest.snooze").left() ~= "" then
    parts = { SIGNS.loading, "snoozed", require("palimpsest.snooze").left() }
  elseif word == "off" or word == "degraded" or word == "loading" then
    table.insert(parts, word)
  end
  if status.model ~= "" then
    table.insert(parts, status.model)
  end
  if status.tokens.total > 0 then
    table.insert(parts, ("%s/%s"):format(short(status.tokens.used), short(status.tokens.total)))
  end
  if status.last.ms > 0 then
    table.insert(parts, ("%d ms"):format(status.last.ms))
  end
  local goes_on = require("palimpsest.progress").text()
  if goes_on ~= "" then
    table.insert(parts, goes_on)
  end
  return table.concat(parts, " ")
end

---@return palimpsest.Row[]
local function rows()
  local status, word = state.status, state.word()
  local found = require("palimpsest.start").found()
  local one = client.get()
  local function row(name, text, group)
    return { { ("%-10s"):format(name), "PalimpsestDim" }, { text, group } }
  end
  local all = { row("state", SIGNS[word] .. " " .. word, GROUPS[word]) }
  local cause = status.cause and status.cause ~= "" and status.cause or status.message
  if cause ~= "" then
    table.insert(all, row("cause", cause))
  end
  local left = require("palimpsest.snooze").left()
  if left ~= "" then
    table.insert(all, row("snooze", left .. " left"))
  end
  table.insert(all, row("model", status.model ~= "" and status.model or "–"))
  table.insert(all, row("cache", ("%d of %d tokens"):format(status.tokens.used, status.tokens.total)))
  local last = status.last
  table.insert(all, row("last", ("%d decoded, %d reused, %d ms"):format(last.decoded, last.reused, last.ms)))
  local talk = status.conversation
  if talk and talk ~= vim.NIL then
    local kept = talk.kv == "leave" and ("cache stays, %d as they were"):format(talk.left) or "decoded again"
    table.insert(all, row("chat", ("%d of %d tokens; blocks change: %s"):format(talk.used, talk.total, kept)))
  end
  if found then
    table.insert(all, row("server", ("%s (%s)"):format(table.concat(found.command, " "), found.how)))
    table.insert(all, row("version", found.version or ""))
  end
  table.insert(all, row("running", one and "yes" or "no"))
  table.insert(all, { { "" } })
  local keys = { { "e", "restart the engine" }, { "s", "restart the server" }, { "l", "log" }, { "d", "doctor" } }
  local line = {} ---@type palimpsest.Row
  for _, key in ipairs(keys) do
    table.insert(line, { key[1], "PalimpsestKey" })
    table.insert(line, { " " .. key[2] .. "  " })
  end
  table.insert(line, { "q", "PalimpsestKey" })
  table.insert(line, { " close" })
  table.insert(all, line)
  return all
end

--- The float; it follows the status.
function M.open()
  local buffer = scratch.buffer("status", "palimpsest-status")
  local function draw()
    if not vim.api.nvim_buf_is_valid(buffer) then
      return state.listen("status", nil)
    end
    local all, width = rows(), 40
    for _, row in ipairs(all) do
      local text = ""
      for _, chunk in ipairs(row) do
        text = text .. chunk[1]
      end
      width = math.max(width, vim.fn.strdisplaywidth(text))
    end
    scratch.draw(buffer, all)
    scratch.float(buffer, "Palimpsest", width + 1, #all)
  end
  local function close()
    state.listen("status", nil)
    scratch.close(buffer)
  end
  local function run(id)
    return function()
      close()
      require("palimpsest.commands").call(id)
    end
  end
  draw()
  state.listen("status", draw)
  scratch.keys(buffer, {
    q = { close, "close" },
    ["<Esc>"] = { close, "close" },
    e = { run("restartEngine"), "restart the engine" },
    s = { run("restartServer"), "restart the server" },
    l = { run("log"), "show the log" },
    d = { run("doctor"), "check the installation" },
  })
end

return M
