--- For what a person asks before the server is there, and what needs no file: it is waited for.
local client = require("palimpsest.client")
local start = require("palimpsest.start")
local workspace = require("palimpsest.workspace")

local M = {}

local START_MS, LOOK_MS = 20000, 50

local waiting = {} ---@type fun()[]

--- Whether a buffer has asked for the server, or will.
local function is_asked_for()
  return vim.iter(vim.api.nvim_list_bufs()):any(function(buffer)
    return vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].filetype ~= "" and start.wanted(buffer)
  end)
end

local function all()
  local them = waiting
  waiting = {}
  if client.expect() then
    for _, done in ipairs(them) do
      done()
    end
  end
end

local function look()
  local timer, tries = assert(vim.uv.new_timer()), START_MS / LOOK_MS
  timer:start(
    LOOK_MS,
    LOOK_MS,
    vim.schedule_wrap(function()
      tries = tries - 1
      if not timer:is_closing() and (client.get() or tries <= 0) then
        timer:close()
        all()
      end
    end)
  )
end

--- Runs `done` when the server is there; starts it where no buffer does.
---@param done fun()
function M.for_server(done)
  if client.get() then
    return done()
  end
  table.insert(waiting, done)
  if #waiting > 1 then
    return
  end
  start.begin()
  if not is_asked_for() then
    start.without_buffer(workspace.of(vim.fs.joinpath(vim.fn.getcwd(), "x")))
  end
  look()
end

return M
