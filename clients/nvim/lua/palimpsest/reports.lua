--- Doctor, statistics, log, a commit message: what the server says, in buffers.
local client = require("palimpsest.client")
local find = require("palimpsest.find")
local scratch = require("palimpsest.scratch")
local tell = require("palimpsest.tell")

local M = {}

local PATIENCE_MS = 120000
local SIGNS = { ["✓"] = "PalimpsestReady", ["✗"] = "PalimpsestOff" }

---@param name string
---@param rows palimpsest.Row[]
---@param again fun()
local function open(name, rows, again)
  local buffer = scratch.buffer(name, "palimpsest-" .. name)
  scratch.draw(buffer, rows)
  vim.api.nvim_set_current_win(scratch.split(buffer))
  local function close()
    scratch.close(buffer)
  end
  scratch.keys(buffer, { q = { close, "close" }, R = { again, "ask again" } })
end

---@param text string
local function as_rows(text)
  return vim
    .iter(vim.split(vim.trim(text), "\n", { plain = true }))
    :map(function(line)
      return { { line, SIGNS[line:sub(1, #"✓")] } }
    end)
    :totable()
end

--- The same on the command line, for when no server runs.
local function doctor_outside()
  find.server(require("palimpsest.workspace").of(vim.api.nvim_buf_get_name(0)), function(found, why_not)
    if not found then
      return open("doctor", { { { "✗ " .. why_not, "PalimpsestOff" } } }, M.doctor)
    end
    local words = { found.command[1], "doctor" }
    vim.system(words, { text = true, timeout = PATIENCE_MS, cwd = vim.uv.os_homedir() }, function(result)
      vim.schedule(function()
        open("doctor", as_rows(result.stdout .. result.stderr), M.doctor)
      end)
    end)
  end)
end

function M.doctor()
  if not client.get() then
    return doctor_outside()
  end
  client.command("palimpsest.doctor", nil, function(answer)
    if not answer then
      return
    end
    open("doctor", as_rows(answer.text), M.doctor)
  end)
end

---@param words? string[] how many days
function M.statistics(words)
  local days = tonumber(words and words[1] or nil)
  client.command("palimpsest.stats", { days = days }, function(answer)
    if answer then
      open("statistics", as_rows(answer.text), M.statistics)
    end
  end)
end

function M.log()
  local function show(path)
    vim.cmd.tabedit(vim.fn.fnameescape(path))
    vim.bo.autoread, vim.bo.modifiable, vim.bo.bufhidden = true, false, "wipe"
    vim.cmd.normal({ "G", bang = true })
  end
  if not client.get() then
    tell.say("the server does not run; this is what Neovim noted of it.")
    return show(vim.lsp.log.get_filename())
  end
  client.command("palimpsest.log", nil, function(answer)
    if answer then
      show(answer.path)
    end
  end)
end

--- In a buffer of a commit message, into it; else into a buffer of its own and the register.
function M.commit_message()
  local buffer = vim.api.nvim_get_current_buf()
  local into = vim.bo[buffer].filetype == "gitcommit"
  local function receive(answer)
    if not answer then
      return
    end
    local lines = vim.split(answer.text or answer.summary, "\n", { plain = true })
    if into and vim.api.nvim_buf_is_valid(buffer) then
      return vim.api.nvim_buf_set_lines(buffer, 0, 0, false, lines)
    end
    vim.fn.setreg('"', table.concat(lines, "\n") .. "\n")
    open("commit", as_rows(table.concat(lines, "\n")), M.commit_message)
    tell.say('the message is in the register "" too.')
  end
  local function ask(staged)
    client.command("palimpsest.summarize", { uri = not into and client.uri(buffer) or nil, staged = staged }, receive)
  end
  ask(into or nil)
end

function M.restart_engine()
  client.command("palimpsest.restartEngine", nil, function(answer)
    if answer then
      tell.say("the engine starts anew.")
    end
  end)
end

--- A fresh copy of the sample workspace, with the cursor where to type.
function M.sample()
  local function open_file(answer)
    vim.cmd.edit(vim.fn.fnameescape(answer.file))
    local at = answer.position or { line = 0, character = 0 }
    pcall(vim.api.nvim_win_set_cursor, 0, { at.line + 1, at.character })
    vim.cmd("normal! zz")
    local text = type(answer.type) == "string" and answer.type or ""
    local keys = text:find("^\n") and "o, then " or ""
    local what = text ~= "" and ("type %s`%s`"):format(keys, vim.trim(text)) or "type here"
    tell.say(("%s. What follows is shown in grey; <Tab> accepts it."):format(what))
  end
  if client.get() then
    return client.command("palimpsest.sample", nil, function(answer)
      if answer then
        open_file(answer)
      end
    end)
  end
  find.server(nil, function(found, why_not)
    if not found then
      return tell.say(why_not or "", vim.log.levels.WARN)
    end
    local folder = vim.fs.joinpath(vim.fn.stdpath("state"), "palimpsest", "sample-" .. os.time())
    vim.system({ found.command[1], "demo", "--copy", folder }, { text = true }, function(result)
      vim.schedule(function()
        if result.code ~= 0 then
          return tell.say(vim.trim(result.stderr):match("[^\n]*$"), vim.log.levels.ERROR)
        end
        open_file({ file = vim.fs.joinpath(folder, "shop", "cart.py"), position = { line = 57, character = 0 } })
      end)
    end)
  end)
end

return M
