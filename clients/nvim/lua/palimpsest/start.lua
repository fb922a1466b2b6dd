--- How the server is started, once for this Neovim, and what begins with it, also in each buffer that it is connected
--- to, and ends with it.  Owner of the client's life and of the set of such buffers.
local client = require("palimpsest.client")
local config = require("palimpsest.config")
local events = require("palimpsest.events")
local find = require("palimpsest.find")
local status = require("palimpsest.status")
local tell = require("palimpsest.tell")

local M = {}

local STOP_MS = 2000
local PARTS = { "keys", "switches", "completion", "next_edits", "notices", "chat_buffer" }

local begun = false
local restarting = false
local waiting = {} ---@type fun()[]
local gone = false
local attached = {} ---@type table<integer, true>

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

--- There is none, and what waited for it does so no longer.
local function ended(message, is_error)
  gone, waiting = true, {}
  status.told({ kind = is_error and "Error" or "Inactive", message = message })
end

--- For `vim.lsp.Config.root_dir`: a buffer that nobody wants helped gets no client.
---@param on_dir fun(root: string?)
function M.root(buffer, on_dir)
  if not M.wanted(buffer) then
    return
  end
  local root = find.workspace(vim.api.nvim_buf_get_name(buffer))
  find.server(root, function(found, why_not)
    if found then
      return on_dir(root)
    end
    ended(why_not, true)
    tell.once(assert(why_not))
  end)
end

function M.connect(dispatchers)
  gone = false
  status.told({ state = "loading", message = "The server starts." })
  local found = assert(find.found)
  local how = { cwd = vim.uv.os_homedir(), env = find.environment(found.root) }
  return vim.lsp.rpc.start(found.command, dispatchers, how)
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
  require("palimpsest.switches").guard(one)
  local provider = one.server_capabilities.codeActionProvider
  if type(provider) == "table" then
    provider.resolveProvider = false
  end
  for _, done in ipairs(waiting) do
    vim.schedule(done)
  end
  waiting = {}
end

function M.on_exit(code, signal)
  vim.schedule(function()
    if not restarting and vim.v.exiting == vim.NIL then
      local why = signal ~= 0 and ("was ended by signal %d"):format(signal) or ("ended with status %d"):format(code)
      ended(("The server %s. `:Palimpsest restartServer` starts it again."):format(why), code ~= 0 or signal ~= 0)
    end
  end)
end

local function attach(buffer)
  attached[buffer] = true
  for _, part in ipairs(PARTS) do
    require("palimpsest." .. part).attach(buffer)
  end
end

local function detach(buffer)
  if attached[buffer] then
    attached[buffer] = nil
    events.close(buffer)
    for _, part in ipairs(PARTS) do
      local stop = require("palimpsest." .. part).detach or function() end
      stop(buffer)
    end
  end
end

--- With other settings, or where something was switched.
function M.again()
  for buffer in pairs(vim.deepcopy(attached)) do
    detach(buffer)
    attach(buffer)
  end
end

local function listen()
  for event, act in pairs({ LspAttach = attach, LspDetach = detach }) do
    vim.api.nvim_create_autocmd(event, {
      group = "palimpsest",
      callback = function(args)
        if client.is_of(args) then
          act(args.buf)
        end
      end,
    })
  end
end

function M.settings_changed()
  local running = client.get()
  find.forget()
  if running then
    running.settings = { palimpsest = config.for_server() }
    running:notify("workspace/didChangeConfiguration", { settings = running.settings })
    M.again()
  end
end

--- Looks for the server again, and starts it in the buffers that are open.  A second wish while a restart goes on waits
--- for the same end.
function M.restart()
  if restarting then
    return
  end
  find.forget()
  restarting = true
  local running = vim.lsp.get_clients({ name = client.name })
  vim.lsp.enable(client.name, false)
  for _, one in ipairs(running) do
    one:stop(STOP_MS)
  end
  local function begin_anew()
    for _, one in ipairs(running) do
      if not one:is_stopped() then
        return vim.defer_fn(begin_anew, 50)
      end
    end
    restarting = false
    vim.lsp.enable(client.name)
  end
  begin_anew()
end

--- For what needs no file and may be asked before the server is there: `done` when it is; it is started where no
--- buffer has asked for it, or will.
function M.wait(done)
  if client.get() then
    return done()
  end
  M.begin()
  local is_asked_for = vim.iter(vim.api.nvim_list_bufs()):any(function(buffer)
    return vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].filetype ~= "" and M.wanted(buffer)
  end)
  if is_asked_for and gone then
    return client.expect()
  end
  table.insert(waiting, done)
  if is_asked_for or #waiting > 1 then
    return
  end
  local root = find.workspace(vim.fs.joinpath(vim.fn.getcwd(), "x"))
  find.server(root, function(found, why_not)
    if not found then
      ended(why_not, true)
      return tell.warn(assert(why_not))
    end
    vim.lsp.start(vim.tbl_extend("force", vim.lsp.config[client.name], { root_dir = root }), { attach = false })
  end)
end

function M.begin()
  if begun then
    return
  end
  begun = true
  require("palimpsest.highlights").define()
  listen()
  status.listen()
  require("palimpsest.repeats").listen()
  if config.get().other_providers then
    require("palimpsest.others").say()
  end
  vim.lsp.enable(client.name)
  if vim.v.vim_did_enter == 0 then
    -- for `nvim FILE "+checkhealth palimpsest"`: the file is open, and Neovim looks at such files only later
    vim.cmd.doautoall("nvim.lsp.enable FileType")
  end
end

return M
