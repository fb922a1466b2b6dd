--- Which server is run: the setting's, the workspace's own (where it is trusted and wanted), PATH's, else the one that
--- this client installed.  Owner of what was found out; nothing of a workspace is run unasked.
local config = require("palimpsest.config")

local M = {}

local uv = vim.uv
local WINDOWS = vim.fn.has("win32") == 1
local PATIENCE_MS = 20000

---@class palimpsest.Found
---@field command string[] with `serve`
---@field how string for a person
---@field version? string

local checked = {} ---@type table<string, palimpsest.Found|string>

---@return string
function M.own_folder()
  return vim.fs.joinpath(vim.fn.stdpath("data"), "palimpsest", "server")
end

---@param folder string
local function program_in(folder)
  return vim.fs.joinpath(folder, WINDOWS and "Scripts/palimpsest.exe" or "bin/palimpsest")
end

local function runs(path)
  return vim.fn.executable(path) == 1
end

--- On PATH, whose relative entries would be looked up in the workspace.
---@param name string
---@return string?
function M.on_path(name)
  for folder in vim.gsplit(vim.env.PATH or "", WINDOWS and ";" or ":", { plain = true }) do
    local path = vim.fs.joinpath(folder, WINDOWS and name .. ".exe" or name)
    if (folder:find("^/") or folder:find("^%a:[\\/]")) and runs(path) then
      return path
    end
  end
end

local function is_full(path)
  return path:find("^/") ~= nil or path:find("^%a:[\\/]") ~= nil
end

--- The setting's program: a full path, or a name on PATH.
---@return palimpsest.Found?, string? why_not
local function from_setting()
  local wanted = config.get().server.command
  local words = type(wanted) == "table" and vim.deepcopy(wanted) or { wanted }
  if #words == 0 or words[1] == "" then
    return nil
  end
  local name = vim.fn.has("win32") == 0 and words[1]:gsub("^~/", vim.fn.expand("~") .. "/") or words[1]
  if name:find("[/\\]") and not is_full(name) then
    return nil, ("`server.command` is %s: give a full path, or a name on PATH."):format(name)
  end
  local path = is_full(name) and name or M.on_path(name)
  if not path or not runs(path) then
    return nil, ("`server.command` is %s, and there is no such program."):format(name)
  end
  words[1] = path
  if #words == 1 then
    words[2] = "serve"
  end
  return { command = words, how = "the setting `server.command`" }
end

--- The workspace's own, if the person wants that and trusts this very file (`:help :trust`).
---@param root? string
local function from_workspace(root)
  if not root or not config.get().server.useWorkspaceEnvironment then
    return
  end
  local path = program_in(vim.fs.joinpath(root, ".venv"))
  if runs(path) and vim.secure.read(path) then
    return { command = { path, "serve" }, how = "the workspace's environment" }
  end
end

---@param root? string
---@return palimpsest.Found?, string? why_not
local function first(root)
  local found, why_not = from_setting()
  if found or why_not then
    return found, why_not
  end
  found = from_workspace(root)
  if found then
    return found
  end
  local path = M.on_path("palimpsest")
  if path then
    return { command = { path, "serve" }, how = "PATH" }
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
  if checked[key] then
    local known = checked[key]
    return done(type(known) == "table" and known or nil, type(known) == "string" and known or nil)
  end
  local function answer(result)
    if result.code == 0 then
      found.version = vim.trim(result.stdout or "")
      checked[key] = found
      return done(found)
    end
    local last = vim.trim(result.stderr or ""):match("[^\n]*$")
    checked[key] = ("%s (%s) does not start: %s"):format(found.command[1], found.how, last)
    done(nil, checked[key])
  end
  local started, problem = pcall(vim.system, { found.command[1], "--version" }, {
    cwd = vim.fn.stdpath("data"):find("^/") and uv.fs_stat(vim.fn.stdpath("data")) and vim.fn.stdpath("data") or nil,
    text = true,
    timeout = PATIENCE_MS,
  }, vim.schedule_wrap(answer))
  if not started then
    answer({ code = 1, stderr = tostring(problem) })
  end
end

--- Looks again next time: something was installed, or a setting changed.
function M.forget()
  checked = {}
end

return M
