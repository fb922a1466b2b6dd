--- Which server is run: the setting's, the workspace's own (where it is trusted and wanted), PATH's, the one that
--- pipx or uv installed, else the one that this client did.  Owner of what was found out; nothing of a workspace is run
--- unasked.
local config = require("palimpsest.config")

local M = {}

local uv = vim.uv
local WINDOWS = vim.fn.has("win32") == 1
local PATIENCE_MS = 20000

M.found = nil ---@type palimpsest.Found? the one that was found last

---@class palimpsest.Found
---@field command string[] with `serve`
---@field root? string the workspace that it was looked for in
---@field how string for a person
---@field version? string

local checked = {} ---@type table<string, { found: palimpsest.Found?, why_not: string? }> by command

--- The workspace of a path: the folder with a marker; without one the folder in which Neovim is, if the path is in it
--- and it is one that somebody chose: not a home folder, nor one around it, where all that a person has would be looked
--- through.
---@return string?
function M.workspace(path)
  local here = vim.fs.normalize(vim.fn.getcwd())
  local is_chosen = not vim.fs.relpath(here, vim.fs.normalize(uv.os_homedir() or "~"))
  return vim.fs.root(path, config.get().root_markers)
    or (is_chosen and vim.fs.relpath(here, vim.fs.normalize(path)) and here or nil)
end

function M.own_folder()
  return vim.fs.joinpath(vim.fn.stdpath("data"), "palimpsest", "server")
end

local function program_in(folder)
  return vim.fs.joinpath(folder, WINDOWS and "Scripts/palimpsest.exe" or "bin/palimpsest")
end

local function runs(path)
  return vim.fn.executable(path) == 1
end

local function is_full(path)
  return path:find("^/") ~= nil or path:find("^%a:[\\/]") ~= nil
end

local SEPARATOR = WINDOWS and ";" or ":"
local SEARCHED = { "PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH" }
local PYTHONS = { "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX", "PYTHONPLATLIBDIR" }

local function real(path)
  return uv.fs_realpath(path) or vim.fs.normalize(path)
end

--- The folders of a search path, without relative ones, which would be the workspace's, and those in the workspace.
---@param root? string the workspace
---@return string[]
local function trusted(search_path, root)
  return vim.tbl_filter(function(folder)
    return is_full(folder) and not (root and vim.fs.relpath(real(root), real(folder)))
  end, vim.split(search_path, SEPARATOR, { plain = true }))
end

---@param root? string the workspace
---@param search_path? string PATH's
---@return string?
function M.on_path(name, root, search_path)
  for _, folder in ipairs(trusted(search_path or vim.env.PATH or "", root)) do
    local path = vim.fs.joinpath(folder, WINDOWS and name .. ".exe" or name)
    if runs(path) then
      return path
    end
  end
end

--- What differs in the environment of what is started here: no folder comes before Python's own modules (to Python, an
--- empty variable is none), and no program or library is looked for in a workspace.
---@param root? string the workspace
---@return table<string, string>
function M.environment(root)
  local changed = { PYTHONSAFEPATH = "1" }
  for _, name in ipairs(PYTHONS) do
    changed[name] = vim.env[name] and "" or nil
  end
  for _, name in ipairs(SEARCHED) do
    changed[name] = vim.env[name] and table.concat(trusted(vim.env[name], root), SEPARATOR)
  end
  return changed
end

--- The setting's program: a full path, or a name on PATH.
---@return palimpsest.Found?, string? why_not
local function from_setting(words, root)
  local name = WINDOWS and words[1] or words[1]:gsub("^~/", vim.fn.expand("~") .. "/")
  if name:find("[/\\]") and not is_full(name) then
    return nil, ("`server.command` is %s: give a full path, or a name on PATH."):format(name)
  end
  local path = is_full(name) and name or M.on_path(name, root)
  if not path or not runs(path) then
    return nil, ("`server.command` is %s, and there is no such program."):format(name)
  end
  local rest = #words > 1 and vim.list_slice(words, 2) or { "serve" }
  return { command = { path, unpack(rest) }, how = "the setting `server.command`" }
end

---@return palimpsest.Found?, string? why_not
local function first(root)
  local wanted = config.get().server.command
  local words = type(wanted) == "table" and wanted or { wanted }
  if words[1] and words[1] ~= "" then
    return from_setting(words, root)
  end
  local own = root and config.get().server.useWorkspaceEnvironment and program_in(vim.fs.joinpath(root, ".venv"))
  if own and runs(own) and vim.secure.read(own) then -- if the person trusts this very file (`:help :trust`)
    return { command = { own, "serve" }, how = "the workspace's environment" }
  end
  local path = M.on_path("palimpsest", root)
  if path then
    return { command = { path, "serve" }, how = "PATH" }
  end
  path = M.on_path("palimpsest", root, vim.fs.joinpath(uv.os_homedir() or "", ".local/bin"))
  if path then -- an editor that a desktop starts may not have it on PATH
    return { command = { path, "serve" }, how = "installed by pipx or uv" }
  end
  path = program_in(M.own_folder())
  if runs(path) and uv.fs_stat(vim.fs.joinpath(M.own_folder(), "pyvenv.cfg")) then
    return { command = { path, "serve" }, how = "installed by this plugin" }
  end
  return nil, "The server is not installed. `:Palimpsest install` installs it."
end

--- Finds the server and sees that it starts.
---@param root? string the workspace
---@param done fun(found: palimpsest.Found?, why_not: string?)
function M.server(root, done)
  local found, why_not = first(root)
  if not found then
    return done(nil, why_not)
  end
  local key = table.concat(found.command, "\0")
  found.root = root
  local function say()
    M.found = checked[key].found or M.found
    done(checked[key].found, checked[key].why_not)
  end
  local function answer(result)
    local last = vim.trim(result.stderr or ""):match("[^\n]*$")
    found.version = vim.trim(result.stdout or "")
    checked[key] = result.code == 0 and { found = found }
      or { why_not = ("%s (%s) does not start: %s"):format(found.command[1], found.how, last) }
    say()
  end
  if checked[key] then
    return say()
  end
  local how = { cwd = uv.os_homedir(), env = M.environment(root), text = true, timeout = PATIENCE_MS }
  local started, problem = pcall(vim.system, { found.command[1], "--version" }, how, vim.schedule_wrap(answer))
  if not started then
    answer({ code = 1, stderr = tostring(problem) })
  end
end

--- Looks again next time: something was installed, or a setting changed.
function M.forget()
  checked = {}
end

return M
