--- Installs the server into a folder of this plugin's own, with the script that all clients share.
local find = require("palimpsest.find")
local status = require("palimpsest.status")
local tell = require("palimpsest.tell")

local M = {}

local running = false

--- The script, and what it installs: of a copy of the plugin the wheel in it or the version of the package index that
--- it names, else the source tree that the plugin is a part of.
---@return string? script, string? source
function M.parts()
  local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h:h")
  if vim.uv.fs_stat(here .. "/install.py") then
    local wheel = vim.fn.glob(here .. "/palimpsest_lsp-*.whl", true, true)[1]
    local version = vim.uv.fs_stat(here .. "/server.txt") and vim.fn.readfile(here .. "/server.txt")[1]
    return here .. "/install.py", wheel or version or nil
  end
  local tree = vim.fs.normalize(here .. "/../..")
  return vim.uv.fs_stat(tree .. "/clients/shared/install.py") and tree .. "/clients/shared/install.py", tree
end

---@param last table what the script said last
---@param result vim.SystemCompleted
local function finish(last, result)
  running = false
  status.goes_on("", true)
  if last.done then
    tell.say(("%s `:Palimpsest sample` opens something to try it on."):format(last.message))
    return require("palimpsest.start").restart()
  end
  local hint = type(last.hint) == "string" and " " .. last.hint or ""
  local why = last.error or vim.trim(result.stderr or ""):match("[^\n]*$")
  tell.error(("the server could not be installed: %s%s"):format(why, hint))
end

--- `:Palimpsest install`.
function M.run()
  if running then
    return tell.say("the server is being installed.")
  end
  local script, source = M.parts()
  local root = find.workspace(vim.api.nvim_buf_get_name(0))
  local interpreter = find.on_path("python3", root) or find.on_path("python", root)
  if not script or not source then
    return tell.error("this copy of the plugin has no server with it: install `palimpsest-lsp`, with uv tool or pipx.")
  elseif not interpreter then
    return tell.error("Python 3.11 or later is needed on PATH to install the server.")
  end
  running = true
  status.goes_on("installing the server", true)
  local last, rest = {}, "" ---@type table, string
  local function hear(_, data) -- one JSON object a line
    local lines = vim.split(rest .. (data or ""), "\n")
    rest = table.remove(lines)
    for _, line in ipairs(lines) do
      local is_json, said = pcall(vim.json.decode, line)
      if is_json and type(said) == "table" then
        last = said
        local share = type(said.fraction) == "number" and (" (%d %%)"):format(said.fraction * 100) or ""
        vim.schedule(function()
          if running and said.message and not said.done then
            status.goes_on(said.message .. share, true)
          end
        end)
      end
    end
  end
  local command = { interpreter, "-I", script, "--into", find.own_folder(), "--source", source }
  local how = { text = true, cwd = vim.uv.os_homedir(), env = find.environment(root), stdout = hear }
  vim.system(command, how, function(result)
    vim.schedule(function()
      finish(last, result)
    end)
  end)
end

return M
