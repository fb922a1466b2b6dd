--- What goes on and takes long: the server's progress and the installation's.  Owner of the one line about it.
local client = require("palimpsest.client")

local M = {}

local text = ""

---@return string empty where nothing goes on
function M.text()
  return text
end

function M.set(now, echo)
  text = now
  vim.cmd.redrawstatus({ bang = true })
  if echo then
    vim.api.nvim_echo({ { now ~= "" and "Palimpsest: " .. now or "" } }, false, {})
  end
end

local function on_progress(event)
  local value = event.data.params and event.data.params.value
  if not client.is_of(event) or type(value) ~= "table" then
    return
  elseif value.kind == "end" then
    return M.set("")
  end
  local title = value.title or text:match("^[^:]+") or "busy"
  local share = value.percentage and (", %d %%"):format(value.percentage) or ""
  local rest = (value.message or "") .. share
  M.set(rest ~= "" and title .. ": " .. rest:gsub("^, ", "") or title)
end

function M.listen()
  vim.api.nvim_create_autocmd("LspProgress", { group = "palimpsest", callback = on_progress })
end

return M
