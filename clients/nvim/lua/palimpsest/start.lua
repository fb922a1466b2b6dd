--- How the server is started, once for this Neovim, and what begins with it.  Owner of the client's life.
local client = require("palimpsest.client")
local config = require("palimpsest.config")
local find = require("palimpsest.find")
local state = require("palimpsest.state")
local tell = require("palimpsest.tell")

local M = {}

local START_MS, LOOK_MS = 20000, 50

local found ---@type palimpsest.Found?
local begun = false
local restarting = false

---@return palimpsest.Found?
function M.found()
  return found
end

--- What has a scheme is no file and only shown (fugitive://, oil:// and so on).
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
---@param on_dir fun(root: string?)
function M.root(buffer, on_dir)
  if not M.wanted(buffer) then
    return
  end
  local root = find.workspace(vim.api.nvim_buf_get_name(buffer))
  find.server(root, function(server, why_not)
    found = server or found
    if server then
      return on_dir(root)
    end
    state.gone(why_not or "", true)
    tell.once(why_not or "")
  end)
end

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
  local uri = wanted.root_dir and vim.uri_from_fname(wanted.root_dir)
  local folders = running.workspace_folders or {}
  local is_known = vim.iter(folders):any(function(folder)
    return folder.uri == uri
  end)
  if uri and not is_known then
    local folder = { uri = uri, name = wanted.root_dir }
    running.workspace_folders = vim.list_extend(folders, { folder })
    running:notify("workspace/didChangeWorkspaceFolders", { event = { added = { folder }, removed = {} } })
  end
  return true
end

--- Edits come with the version of the document that they are for, which Neovim checks but does not say so.
function M.before_init(params)
  params.capabilities.workspace.workspaceEdit.documentChanges = true
  params.capabilities.textDocument.codeAction.resolveSupport = nil
end

--- Code actions are to show a diff first, so Neovim is not to resolve and apply them by itself.
function M.on_init(one)
  require("palimpsest.undo").guard(one)
  local provider = one.server_capabilities.codeActionProvider
  if type(provider) == "table" then
    provider.resolveProvider = false
  end
end

function M.on_exit(code, signal, _)
  vim.schedule(function()
    if not restarting and vim.v.exiting == vim.NIL then
      local why = signal ~= 0 and ("was ended by signal %d"):format(signal) or ("ended with status %d"):format(code)
      state.gone(("The server %s. `:Palimpsest restartServer` starts it again."):format(why), code ~= 0 or signal ~= 0)
    end
  end)
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

--- Looks until something is so, or for too long; then `done`.
---@param is_so fun(): boolean
---@param patience_ms? integer
local function when(is_so, done, patience_ms)
  if is_so() or (patience_ms and patience_ms <= 0) then
    return done()
  end
  vim.defer_fn(function()
    when(is_so, done, patience_ms and patience_ms - LOOK_MS)
  end, LOOK_MS)
end

--- A second wish while a restart goes on waits for the same end.
function M.restart()
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
  when(function()
    return vim.iter(running):all(function(one)
      return one:is_stopped()
    end)
  end, function()
    restarting = false
    vim.lsp.enable(client.name)
  end)
end

--- Looks for the server again, in the buffers that are open.
function M.again()
  M.begin()
  vim.lsp.enable(client.name, false)
  vim.lsp.enable(client.name)
end

--- A server that no buffer has asked for.
function M.without_buffer(root)
  find.server(root, function(server, why_not)
    found = server or found
    if server then
      vim.lsp.start(vim.tbl_extend("force", vim.lsp.config[client.name], { root_dir = root }), { attach = false })
    else
      tell.warn(why_not or "")
    end
  end)
end

local waiting = {} ---@type fun()[]

--- For what needs no file and may be asked before the server is there: `done` when it is; it is started where no
--- buffer has asked for it, or will.
function M.wait(done)
  if client.get() then
    return done()
  end
  table.insert(waiting, done)
  if #waiting > 1 then
    return
  end
  M.begin()
  local is_asked_for = vim.iter(vim.api.nvim_list_bufs()):any(function(buffer)
    return vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].filetype ~= "" and M.wanted(buffer)
  end)
  if not is_asked_for then
    M.without_buffer(find.workspace(vim.fs.joinpath(vim.fn.getcwd(), "x")))
  end
  when(function()
    return client.get() ~= nil
  end, function()
    local them = waiting
    waiting = {}
    for _, one in ipairs(client.expect() and them or {}) do
      one()
    end
  end, START_MS)
end

function M.begin()
  if begun then
    return
  end
  begun = true
  require("palimpsest.highlights").define()
  for _, part in ipairs({ "attach", "progress", "switches" }) do
    require("palimpsest." .. part).listen()
  end
  vim.lsp.enable(client.name)
end

return M
