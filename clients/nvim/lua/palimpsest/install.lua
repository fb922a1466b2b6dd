--- Installs the server into a folder of this plugin's own, with the script that all clients share.
local find = require("palimpsest.find")
local progress = require("palimpsest.progress")
local tell = require("palimpsest.tell")

local M = {}

local running = false

--- This plugin's folder.
local function root()
  return vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h:h")
end

--- The script, and what it installs: a wheel beside it, the source tree that the plugin is a part of, or the version of
--- the package index that the plugin's own repository names.
---@return string? script, string? source
function M.parts()
  local here = root()
  for _, script in ipairs({ here .. "/install.py", here .. "/shared/install.py", here .. "/../shared/install.py" }) do
    if vim.uv.fs_stat(script) then
      local wheel = vim.fn.glob(vim.fs.dirname(script) .. "/palimpsest_lsp-*.whl", true, true)[1]
        or vim.fn.glob(here .. "/palimpsest_lsp-*.whl", true, true)[1]
      local tree = vim.fs.normalize(here .. "/../..")
      local source = wheel or (vim.uv.fs_stat(tree .. "/pyproject.toml") and tree or nil)
      if not source and vim.uv.fs_stat(here .. "/server.txt") then
        source = vim.fn.readfile(here .. "/server.txt")[1]
      end
      return vim.fs.normalize(script), source
    end
  end
end

local function python()
  return find.on_path("python3") or find.on_path("python")
end

---@param line string one JSON object
---@return table?
local function read(line)
  local ok, found = pcall(vim.json.decode, line)
  return ok and type(found) == "table" and found or nil
end

---@param last table?
---@param result vim.SystemCompleted
local function finish(last, result)
  running = false
  progress.set("", true)
  if last and last.done then
    tell.say(("%s `:Palimpsest sample` opens something to try it on."):format(last.message))
    find.forget()
    require("palimpsest.start").again()
  elseif last and last.error then
    local hint = type(last.hint) == "string" and " " .. last.hint or ""
    tell.say(("the server could not be installed: %s%s"):format(last.error, hint), vim.log.levels.ERROR)
  else
    local why = vim.trim(result.stderr or ""):match("[^\n]*$")
    tell.say(("the server could not be installed: %s"):format(why), vim.log.levels.ERROR)
  end
end

--- `:Palimpsest install`.
function M.run()
  if running then
    return tell.say("the server is being installed.")
  end
  local script, source = M.parts()
  local interpreter = python()
  if not script or not source then
    return tell.say("this copy of the plugin has no server with it: install `palimpsest-lsp`, with uv tool or pipx.", 4)
  elseif not interpreter then
    return tell.say("Python 3.11 or later is needed on PATH to install the server.", vim.log.levels.ERROR)
  end
  running = true
  local last, rest = nil, "" ---@type table?, string
  local command = { interpreter, "-I", script, "--into", find.own_folder(), "--source", source }
  progress.set("installing the server", true)
  vim.system(command, {
    text = true,
    cwd = vim.uv.os_homedir(),
    stdout = function(_, data)
      rest = rest .. (data or "")
      for line in rest:gmatch("([^\n]*)\n") do
        local said = read(line)
        last = said or last
        if said and said.message and not said.done then
          local share = type(said.fraction) == "number" and (" (%d %%)"):format(said.fraction * 100) or ""
          vim.schedule(function()
            if running then
              progress.set(said.message .. share, true)
            end
          end)
        end
      end
      rest = rest:match("[^\n]*$")
    end,
  }, function(result)
    vim.schedule(function()
      finish(last, result)
    end)
  end)
end

return M
