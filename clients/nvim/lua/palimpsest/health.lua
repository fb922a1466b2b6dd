--- `:checkhealth palimpsest`: what is here, what is missing, and at the end a completion on the sample workspace.
local M = {}

local health = vim.health
local PATIENCE_MS = 60000

local function neovim()
  health.start("palimpsest: Neovim")
  if vim.fn.has("nvim-0.11") == 0 then
    return health.error("Neovim 0.11 or later is needed.")
  end
  health.ok(("Neovim %s"):format(tostring(vim.version())))
  if require("palimpsest.native").serves() then
    health.ok("completions are shown by Neovim itself")
  else
    health.ok("completions are shown by the plugin")
  end
  if vim.g.palimpsest ~= nil and type(vim.g.palimpsest) ~= "table" then
    health.error("`vim.g.palimpsest` is no table.", { "See :help palimpsest-settings." })
  end
  local others = require("palimpsest.others")
  for _, other in ipairs(others.found()) do
    health.warn(("%s completes here, too."):format(other.name), { "To switch it off: " .. other.off })
  end
end

---@return palimpsest.Found?
local function server()
  health.start("palimpsest: server")
  local found, why_not, known = nil, nil, false
  require("palimpsest.find").server(nil, function(it, why)
    found, why_not, known = it, why, true
  end)
  vim.wait(PATIENCE_MS, function()
    return known
  end, 20)
  if not found then
    health.error(why_not or "the server did not answer.", { "`:Palimpsest install` makes an environment with it." })
    return nil
  end
  health.ok(("%s: %s (%s)"):format(found.version, found.command[1], found.how))
  return found
end

--- Runs a command and waits for it.
---@return table? answer, string? why_not
local function ask(client, name, argument)
  local params = { command = name, arguments = { argument or vim.empty_dict() } }
  local answer, problem = client:request_sync("workspace/executeCommand", params, PATIENCE_MS, 0)
  if answer and answer.result then
    return answer.result
  end
  return nil, answer and answer.err and answer.err.message or problem
end

---@param client vim.lsp.Client
local function doctor(client)
  health.start("palimpsest: installation")
  local answer, why_not = ask(client, "palimpsest.doctor")
  if not answer then
    return health.warn(("the server could not be asked: %s"):format(why_not))
  end
  for _, row in ipairs(answer.rows) do
    local text = ("%s: %s"):format(row.name, row.message)
    if row.ok then
      health.ok(text)
    else
      health.warn(text, type(row.hint) == "string" and row.hint ~= "" and { row.hint } or nil)
    end
  end
end

--- The sample file in a buffer of its own, with what is typed there, given to the server.
---@return integer buffer, table position
local function sample(client)
  local answer = ask(client, "palimpsest.sample")
  local buffer = vim.fn.bufadd(answer and answer.file or "")
  vim.fn.bufload(buffer)
  local at = answer and answer.position or { line = 0, character = 0 }
  local typed = vim.split(answer and answer.type or "", "\n")
  vim.api.nvim_buf_set_text(buffer, at.line, at.character, at.line, at.character, typed)
  vim.bo[buffer].filetype = "python"
  vim.lsp.buf_attach_client(buffer, client.id)
  local before = #typed == 1 and at.character or 0
  return buffer, { line = at.line + #typed - 1, character = before + #typed[#typed] }
end

---@param client vim.lsp.Client
local function completion(client)
  health.start("palimpsest: a completion on the sample workspace")
  local state = require("palimpsest.state")
  vim.wait(PATIENCE_MS, function()
    return state.status.kind == "Normal" or state.status.kind == "Error"
  end, 50)
  if state.status.kind == "Error" then
    return health.error(state.status.message, { "`:Palimpsest restartEngine` starts the engine anew." })
  end
  local buffer, position = sample(client)
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    position = position,
    context = { triggerKind = 1 },
  }
  local answer, problem = client:request_sync("textDocument/inlineCompletion", params, PATIENCE_MS, buffer)
  local item = answer and answer.result and (answer.result.items or answer.result)[1]
  vim.api.nvim_buf_delete(buffer, { force = true })
  if not item then
    return health.warn(("none came%s"):format(problem and ": " .. problem or "."), { "`:Palimpsest log` may say why." })
  end
  local text = item.filterText or item.insertText
  health.ok(("“%s”, from %s"):format(vim.trim(text):gsub("\n.*", " …"), state.status.model))
  health.info("`:Palimpsest sample` opens that workspace to type in it.")
end

function M.check()
  neovim()
  if not server() then
    return
  end
  require("palimpsest.start").begin()
  local client = require("palimpsest.client")
  local running = client.get()
  if not running then
    local config = vim.deepcopy(vim.lsp.config.palimpsest)
    config.root_dir = nil
    local ok = require("palimpsest.start").settle(PATIENCE_MS)
    if ok then
      vim.lsp.start(config, { attach = false })
    end
    vim.wait(PATIENCE_MS, function()
      running = client.get()
      return running ~= nil
    end, 50)
  end
  if not running then
    return health.error("the server does not start.", { "`:Palimpsest log` may say why." })
  end
  doctor(running)
  completion(running)
end

return M
