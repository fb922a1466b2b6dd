--- Doctor, statistics, log, a commit message: what the server says, in buffers.
local client = require("palimpsest.client")
local scratch = require("palimpsest.scratch")
local tell = require("palimpsest.tell")

local M = {}

local PATIENCE_MS = 120000
local SIGNS = { ["✓"] = "PalimpsestReady", ["✗"] = "PalimpsestOff" }

---@param id string of the command
local function open(id, text)
  local buffer = scratch.buffer(id, "palimpsest-" .. id)
  local lines, marks = vim.split(vim.trim(text), "\n"), {}
  for row, line in ipairs(lines) do
    table.insert(marks, { row - 1, 0, #line, SIGNS[line:sub(1, #"✓")] })
  end
  scratch.set(buffer, lines, marks)
  vim.api.nvim_set_current_win(scratch.split(buffer))
  scratch.keys(buffer, { R = { ("<Cmd>Palimpsest %s<CR>"):format(id), "ask again" } })
end

--- The same on the command line, for when no server runs.
local function doctor_outside()
  local find = require("palimpsest.find")
  find.server(find.workspace(vim.api.nvim_buf_get_name(0)), function(found, why_not)
    if not found then
      return open("doctor", "✗ " .. why_not)
    end
    local show = vim.schedule_wrap(function(result)
      open("doctor", result.stdout .. result.stderr)
    end)
    local how = { text = true, timeout = PATIENCE_MS, cwd = vim.uv.os_homedir(), env = find.environment(found.root) }
    vim.system({ found.command[1], "doctor" }, how, show)
  end)
end

function M.doctor()
  if not client.get() then
    return doctor_outside()
  end
  client.command("palimpsest.doctor", nil, function(answer)
    open("doctor", answer.text)
  end)
end

---@param words? string[] how many days
function M.statistics(words)
  client.command("palimpsest.stats", { days = tonumber(words and words[1] or nil) }, function(answer)
    open("statistics", answer.text)
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
    show(answer.path)
  end)
end

--- In a buffer of a commit message, into it; else into a buffer of its own and the register.
function M.commit_message()
  local buffer = vim.api.nvim_get_current_buf()
  local into = vim.bo[buffer].filetype == "gitcommit"
  local asked = { uri = not into and vim.uri_from_bufnr(buffer) or nil, staged = into, staged_first = not into }
  client.command("palimpsest.summarize", asked, function(answer)
    local text = answer.text
    if into and vim.api.nvim_buf_is_valid(buffer) then
      return vim.api.nvim_buf_set_lines(buffer, 0, 0, false, vim.split(text, "\n"))
    end
    vim.fn.setreg('"', text .. "\n")
    open("commitMessage", text)
    tell.say('the message is in the register "" too.')
  end)
end

function M.restart_engine()
  client.command("palimpsest.restartEngine", nil, function()
    tell.say("the engine starts anew.")
  end)
end

--- A fresh copy of the sample workspace, with the cursor where to type.
function M.sample()
  require("palimpsest.start").wait(function()
    client.command("palimpsest.sample", nil, function(answer)
      vim.cmd.edit(vim.fn.fnameescape(answer.file))
      pcall(vim.api.nvim_win_set_cursor, 0, { answer.position.line + 1, answer.position.character })
      vim.cmd("normal! zz")
      local keys = vim.startswith(answer.type, "\n") and "o, then " or ""
      local text = "type %s`%s`. What follows is shown in grey; <Tab> accepts it."
      tell.say(text:format(keys, vim.trim(answer.type)))
    end)
  end)
end

return M
