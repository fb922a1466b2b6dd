--- Completions are shown unasked again only after some minutes: asked of the server, which says until when.
local client = require("palimpsest.client")
local state = require("palimpsest.state")
local tell = require("palimpsest.tell")

local M = {}

local EVERY_MS = 5000
local timer = assert(vim.uv.new_timer())

--- What is left of it: `4 min`, `30 s`; "" where there is none.
---@return string
function M.left()
  local seconds = math.floor(state.status.snoozed_until) - os.time()
  if seconds <= 0 then
    return ""
  end
  return seconds > 60 and ("%d min"):format(math.ceil(seconds / 60)) or ("%d s"):format(seconds)
end

--- The status line counts down by itself.
state.listen("snooze", function()
  if M.left() == "" then
    timer:stop()
  elseif not timer:is_active() then
    timer:start(EVERY_MS, EVERY_MS, vim.schedule_wrap(state.changed))
  end
end)

--- `:Palimpsest snooze [minutes]`
---@param words string[]
function M.run(words)
  local minutes = words[1] and tonumber(words[1])
  if words[1] and not minutes then
    return tell.say(("`%s` is no number of minutes."):format(words[1]), vim.log.levels.ERROR)
  end
  client.command("palimpsest.completion.snooze", { minutes = minutes }, function(answer)
    if answer then
      local over = answer["until"] == 0
      local clock = not over and os.date("%H:%M", math.floor(answer["until"])) or ""
      tell.say(over and "completions are shown again." or ("completions are snoozed until %s."):format(clock))
    end
  end)
end

return M
