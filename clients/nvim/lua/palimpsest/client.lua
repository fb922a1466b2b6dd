--- The connection to the server: who it is, and asking it things.  Knows no feature.
local tell = require("palimpsest.tell")

local M = {}

M.name = "palimpsest"

--- Not worth telling: the person went on meanwhile.
local QUIET = { [-32800] = true, [-32801] = true, [-32802] = true }

---@param buffer? integer nil: of any buffer
---@return vim.lsp.Client?
function M.get(buffer)
  for _, client in ipairs(vim.lsp.get_clients({ name = M.name, bufnr = buffer })) do
    if client.initialized and not client:is_stopped() then
      return client
    end
  end
end

--- The connection, or nil and a sentence about it.
---@param buffer? integer
---@return vim.lsp.Client?
function M.expect(buffer)
  local client = M.get(buffer) or M.get()
  if not client then
    tell.say("the server does not run. `:Palimpsest status` says why.", vim.log.levels.WARN)
  end
  return client
end

--- What positions count, for texts of the server's answers.
---@return string
function M.encoding()
  local one = M.get()
  return one and one.offset_encoding or "utf-16"
end

---@param window? integer
---@return lsp.Position
function M.position(client, window)
  return vim.lsp.util.make_position_params(window or 0, client.offset_encoding).position
end

---@param buffer integer
function M.uri(buffer)
  return vim.uri_from_bufnr(buffer)
end

--- -1 where its file is not open.
---@param uri string
function M.buffer_of(uri)
  local name = vim.uri_to_fname(uri)
  local buffer = vim.fn.bufnr(("^%s$"):format(vim.fn.escape(name, "[]*?{},\\")))
  return buffer > 0 and vim.api.nvim_buf_is_loaded(buffer) and buffer or -1
end

--- Runs a command of the server; `done` gets its answer, or nil where it failed.
---@param name string
---@param argument? table
---@param done? fun(answer: table?, error: lsp.ResponseError?)
---@param options? { buffer?: integer, quiet?: boolean }
---@return integer? id
function M.command(name, argument, done, options)
  options = options or {}
  local buffer = options.buffer or vim.api.nvim_get_current_buf()
  local client = options.quiet and (M.get(buffer) or M.get()) or M.expect(buffer)
  if not client then
    return
  end
  local params = { command = name, arguments = { argument or vim.empty_dict() } }
  local _, id = client:request("workspace/executeCommand", params, function(error, answer)
    if error and not options.quiet and not QUIET[error.code] then
      tell.say(error.message, vim.log.levels.ERROR)
    end
    if done then
      done(not error and answer or nil, error)
    end
  end, buffer)
  return id
end

---@param method string
---@param params table
---@param buffer? integer
function M.notify(method, params, buffer)
  local client = M.get(buffer)
  if client then
    client:notify(method, params)
  end
end

return M
