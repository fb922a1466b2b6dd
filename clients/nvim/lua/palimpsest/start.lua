--- How the server is started, once for this Neovim, and what begins with it.  Owner of the client's life.
local client = require("palimpsest.client")
local config = require("palimpsest.config")
local find = require("palimpsest.find")
local state = require("palimpsest.state")
local tell = require("palimpsest.tell")
local workspace = require("palimpsest.workspace")

local M = {}

local found ---@type palimpsest.Found?
local begun = false
local restarting = false

--- What has a scheme is no file and only shown (fugitive://, oil:// and so on).
---@param buffer integer
function M.wanted(buffer)
  local all = config.get()
  local name = vim.api.nvim_buf_get_name(buffer)
  local bo = vim.bo[buffer]
  if not all.enabled or bo.buftype ~= "" or name == "" or not bo.modifiable or name:find("^%a[%w+.-]+:/") then
    return false
  end
  local size = vim.fn.getfsize(name)
  return size <= all.max_file_size and (not all.filter or all.filter(buffer) ~= false)
end

--- For `vim.lsp.Config.root_dir`: a buffer that nobody wants helped gets no client.
---@param buffer integer
---@param on_dir fun(root: string?)
function M.root(buffer, on_dir)
  if not M.wanted(buffer) then
    return
  end
  local root = workspace.of(vim.api.nvim_buf_get_name(buffer))
  find.server(root, function(server, why_not)
    if server then
      found = server
      on_dir(root)
    else
      state.gone(why_not or "", true)
      tell.once(why_not or "")
    end
  end)
end

--- Looks for the server and waits for what comes of that.
---@param patience_ms integer
---@return boolean whether it is there
function M.settle(patience_ms)
  local known = false
  find.server(nil, function(server)
    found, known = server or found, true
  end)
  vim.wait(patience_ms, function()
    return known
  end, 20)
  return found ~= nil
end

---@param dispatchers vim.lsp.rpc.Dispatchers
function M.connect(dispatchers)
  assert(found, "a server is found before it is started")
  state.told({ kind = "Inactive", state = "loading", message = "The server starts." })
  return vim.lsp.rpc.start(found.command, dispatchers, { cwd = vim.uv.os_homedir() })
end

--- One server for this Neovim: a further workspace is a further folder of it.
---@param running vim.lsp.Client
---@param wanted vim.lsp.ClientConfig
function M.reuse(running, wanted)
  if running.name ~= client.name or running:is_stopped() then
    return false
  end
  local root = wanted.root_dir
  if root then
    local uri = vim.uri_from_fname(root)
    for _, folder in ipairs(running.workspace_folders or {}) do
      if folder.uri == uri then
        return true
      end
    end
    local folder = { uri = uri, name = root }
    running.workspace_folders = running.workspace_folders or {}
    table.insert(running.workspace_folders, folder)
    running:notify("workspace/didChangeWorkspaceFolders", { event = { added = { folder }, removed = {} } })
  end
  return true
end

--- Edits come with the version of the document that they are for, which Neovim checks but does not say so.
---@param params lsp.InitializeParams
function M.before_init(params)
  params.capabilities.workspace.workspaceEdit.documentChanges = true
  params.capabilities.textDocument.codeAction.resolveSupport = nil
end

--- Code actions are to show a diff first, so Neovim is not to resolve and apply them by itself.
---@param one vim.lsp.Client
function M.on_init(one)
  require("palimpsest.undo").guard(one)
  local provider = one.server_capabilities.codeActionProvider
  if type(provider) == "table" then
    provider.resolveProvider = false
  end
end

function M.commands()
  return {
    ["palimpsest.suggest.apply"] = function(command)
      require("palimpsest.edits").from_action(command.arguments[1])
    end,
  }
end

function M.on_status(_, status)
  state.told(status)
end

function M.on_exit(code, signal, _)
  vim.schedule(function()
    if not restarting and vim.v.exiting == vim.NIL then
      local why = signal ~= 0 and ("was ended by signal %d"):format(signal) or ("ended with status %d"):format(code)
      state.gone(("The server %s. `:Palimpsest restartServer` starts it again."):format(why), code ~= 0 or signal ~= 0)
    end
  end)
end

---@return palimpsest.Found?
function M.found()
  return found
end

function M.settings_changed()
  local running = client.get()
  find.forget()
  if running then
    running.settings = { palimpsest = config.for_server() }
    running:notify("workspace/didChangeConfiguration", { settings = running.settings })
    for buffer in pairs(running.attached_buffers) do
      require("palimpsest.attach").again(buffer)
    end
  end
end

local restart_waits = {} ---@type fun()[]

--- One after the other: a second wish while a restart goes on waits for the same end.
---@param done? fun()
function M.restart(done)
  table.insert(restart_waits, done or function() end)
  if restarting then
    return
  end
  restarting = true
  find.forget()
  local running = vim.lsp.get_clients({ name = client.name })
  vim.lsp.enable(client.name, false)
  for _, one in ipairs(running) do
    one:stop(2000)
  end
  local timer = assert(vim.uv.new_timer())
  local function look()
    for _, one in ipairs(running) do
      if not one:is_stopped() then
        return
      end
    end
    timer:close()
    restarting = false
    vim.lsp.enable(client.name)
    local waiting = restart_waits
    restart_waits = {}
    for _, wait in ipairs(waiting) do
      wait()
    end
  end
  timer:start(
    20,
    50,
    vim.schedule_wrap(function()
      if not timer:is_closing() then
        look()
      end
    end)
  )
end

--- Looks for the server again, in the buffers that are open.
function M.again()
  M.begin()
  vim.lsp.enable(client.name, false)
  vim.lsp.enable(client.name)
end

--- A server that no buffer has asked for.
---@param root? string
function M.without_buffer(root)
  find.server(root, function(server, why_not)
    found = server or found
    if server then
      vim.lsp.start(vim.tbl_extend("force", vim.lsp.config[client.name], { root_dir = root }), { attach = false })
    else
      tell.say(why_not or "", vim.log.levels.WARN)
    end
  end)
end

function M.begin()
  if begun then
    return
  end
  begun = true
  require("palimpsest.highlights").define()
  require("palimpsest.attach").listen()
  require("palimpsest.progress").listen()
  vim.lsp.enable(client.name)
end

return M
