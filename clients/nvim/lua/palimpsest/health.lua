--- `:checkhealth palimpsest`: what is here, what is missing, and at the end a completion on the sample workspace.
local M = {}

local health = vim.health
local PATIENCE_MS = 60000
local MAY_SAY_WHY = { "`:Palimpsest log` may say why." }

local function neovim()
  health.start("palimpsest: Neovim")
  if vim.fn.has("nvim-0.11") == 0 then
    return health.error("Neovim 0.11 or later is needed.")
  end
  health.ok(("Neovim %s"):format(tostring(vim.version())))
  local by_neovim = require("palimpsest.native").serves()
  health.ok("completions are shown by " .. (by_neovim and "Neovim itself" or "the plugin"))
  if vim.g.palimpsest ~= nil and type(vim.g.palimpsest) ~= "table" then
    health.error("`vim.g.palimpsest` is no table.", { "See :help palimpsest-settings." })
  end
  for _, other in ipairs(require("palimpsest.others").found()) do
    health.warn(("%s completes here, too."):format(other.name), { "To switch it off: " .. other.off })
  end
end

--- Calls with what is to be called when it is done, and waits for that.
---@return ... what that was called with
local function awaited(call)
  local answer ---@type any[]?
  call(function(...)
    answer = { n = select("#", ...), ... }
  end)
  vim.wait(PATIENCE_MS, function()
    return answer ~= nil
  end, 20)
  return unpack(answer or {}, 1, answer and answer.n or 0)
end

--- Whether there is one that starts.
local function server()
  health.start("palimpsest: server")
  local found, why_not = awaited(function(done)
    require("palimpsest.find").server(nil, done)
  end)
  if not found then
    health.error(why_not or "it did not answer.", { "`:Palimpsest install` makes an environment with it." })
    return false
  end
  health.ok(("%s: %s (%s)"):format(found.version, found.command[1], found.how))
  return true
end

--- Asks and waits for the answer.
---@return table? answer, string? why_not
local function ask(client, method, params, buffer)
  local answer, problem = client:request_sync(method, params, PATIENCE_MS, buffer or 0)
  return answer and answer.result, answer and answer.err and answer.err.message or problem
end

local function command(client, name)
  return ask(client, "workspace/executeCommand", { command = name, arguments = { vim.empty_dict() } })
end

local function doctor(client)
  health.start("palimpsest: installation")
  local answer, why_not = command(client, "palimpsest.doctor")
  if not answer then
    return health.warn(("the server could not be asked: %s"):format(why_not))
  end
  for _, row in ipairs(answer.rows) do
    local say = row.ok and health.ok or health.warn
    say(("%s: %s"):format(row.name, row.message), row.hint ~= "" and { row.hint } or nil)
  end
end

--- With the sample's file in a buffer of its own, and what is to be typed there.
local function completion(client)
  health.start("palimpsest: a completion on the sample workspace")
  local status = require("palimpsest.status")
  vim.wait(PATIENCE_MS, function()
    return status.now.kind == "Normal" or status.now.kind == "Error"
  end, 50)
  if status.now.kind == "Error" then
    return health.error(status.now.message, { "`:Palimpsest restartEngine` starts the engine anew." })
  end
  local sample, why_not = command(client, "palimpsest.sample")
  if not sample then
    return health.warn(("there is no sample: %s"):format(why_not))
  end
  local buffer, at, typed = vim.fn.bufadd(sample.file), sample.position, vim.split(sample.type, "\n")
  vim.fn.bufload(buffer)
  vim.api.nvim_buf_set_text(buffer, at.line, at.character, at.line, at.character, typed)
  vim.bo[buffer].filetype = "python"
  vim.lsp.buf_attach_client(buffer, client.id)
  local before = #typed == 1 and at.character or 0
  local answer, problem = ask(client, "textDocument/inlineCompletion", {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    position = { line = at.line + #typed - 1, character = before + #typed[#typed] },
    context = { triggerKind = 1 },
  }, buffer)
  vim.api.nvim_buf_delete(buffer, { force = true })
  local item = answer and (answer.items or answer)[1]
  if not item then
    return health.warn(("none came%s"):format(problem and ": " .. problem or "."), MAY_SAY_WHY)
  end
  local text = vim.trim(item.filterText or item.insertText):gsub("\n.*", " …")
  health.ok(("“%s”, from %s"):format(text, status.now.model))
  health.info("`:Palimpsest sample` opens that workspace to type in it.")
end

function M.check()
  neovim()
  if not server() then
    return
  end
  awaited(require("palimpsest.start").wait)
  local running = require("palimpsest.client").get()
  if not running then
    return health.error("the server does not start.", MAY_SAY_WHY)
  end
  doctor(running)
  completion(running)
end

return M
