--- The connection to the server: who it is, and asking it things.  Knows no feature.
local tell = require("palimpsest.tell")

local M = {}

M.name = "palimpsest"

--- Not worth telling: the person went on meanwhile.
local QUIET = { [-32800] = true, [-32801] = true, [-32802] = true }

---@param buffer? integer nil: of any buffer
---@return vim.lsp.Client?
function M.get(buffer)
  return vim.iter(vim.lsp.get_clients({ name = M.name, bufnr = buffer })):find(function(client)
    return client.initialized and not client:is_stopped()
  end)
end

--- The connection, or nil and a sentence about it.
---@param buffer? integer nil: of any buffer
---@return vim.lsp.Client?
function M.expect(buffer)
  local client = M.get()
  if not client then
    tell.warn("the server does not run. `:Palimpsest status` says why.")
  elseif buffer and not M.get(buffer) then
    return tell.say("this buffer is no file that may be edited, or `filter` or `max_file_size` leaves it out.")
  end
  return client
end

--- Whether the server has one of its commands, as far as is known.
---@param command? string
function M.has(command)
  local client = M.get()
  local known = client and vim.tbl_get(client, "server_capabilities", "executeCommandProvider", "commands")
  return not command or not known or vim.tbl_contains(known, command)
end

--- Whether this is the client of an event.
function M.is_of(event)
  local client = vim.lsp.get_client_by_id(event.data.client_id)
  return client ~= nil and client.name == M.name
end

--- What positions count, for texts of the server's answers.
function M.encoding()
  local client = M.get()
  return client and client.offset_encoding or "utf-16"
end

---@param window? integer
---@return lsp.Position
function M.position(client, window)
  return vim.lsp.util.make_position_params(window or 0, client.offset_encoding).position
end

--- A buffer as the server knows it now.
function M.document(buffer)
  return { uri = vim.uri_from_bufnr(buffer), version = vim.lsp.util.buf_versions[buffer] }
end

--- -1 where its file is not open.
function M.buffer_of(uri)
  local name = vim.uri_to_fname(uri)
  return vim.fn.bufloaded(name) == 1 and vim.fn.bufadd(name) or -1
end

---@class palimpsest.Asked
---@field buffer? integer what it is about
---@field quiet? boolean a person is told of no failure
---@field finally? fun() called before `done`, and where it failed

--- Runs a command of the server; `done` gets its answer, and is not called where it failed.  Without it, a person is
--- told what the server says of the outcome.
---@param argument? table
---@param done? fun(answer: table)
---@param options? palimpsest.Asked
function M.command(name, argument, done, options)
  options = options or {}
  local finally = options.finally or function() end
  done = done
    or function(answer)
      local said = answer.says and answer.says .. "." or answer.summary
      return said and not options.quiet and tell.say(said)
    end
  local buffer = options.buffer or vim.api.nvim_get_current_buf()
  local client = options.quiet and M.get() or not options.quiet and M.expect()
  local params = { command = name, arguments = { argument or vim.empty_dict() } }
  local sent = client
    and client:request("workspace/executeCommand", params, function(error, answer)
      finally()
      if error and not options.quiet and not QUIET[error.code] then
        tell.failed(error)
      elseif answer and not error then
        done(answer)
      end
    end, buffer)
  if not sent then
    finally()
  end
end

function M.event(kind, buffer, more)
  local client = M.get(buffer)
  if client then
    client:notify("palimpsest/event", vim.tbl_extend("error", { kind = kind }, more or {}))
  end
end

---@alias palimpsest.Done fun(same: boolean, answer?: any, from?: vim.lsp.Client)

---@class palimpsest.Latest
---@field ask fun(more: table, done: palimpsest.Done)
---@field cancel fun()
---@field is_asked fun(): boolean

--- Asks of the current buffer and the cursor in it; only the last question counts, and its answer goes to all who ask
--- the same meanwhile.  `done` is told whether there is one and all is as it was when it was asked, by `place`.
---@param method string
---@param place fun(): table
---@return palimpsest.Latest
function M.latest(method, place)
  local pending ---@type { client: vim.lsp.Client, id: integer, asked: table, told: palimpsest.Done[] }?
  local latest = {}

  local function tell_all(same, answer)
    local one = assert(pending)
    pending = nil
    for _, done in ipairs(one.told) do
      done(same, answer, one.client)
    end
  end

  function latest.cancel()
    if pending then
      pending.client:cancel_request(pending.id)
      tell_all(false)
    end
  end

  function latest.is_asked()
    return pending ~= nil
  end

  function latest.ask(more, done)
    local asked = { place(), more }
    if pending and vim.deep_equal(pending.asked, asked) then
      table.insert(pending.told, done)
      return
    end
    latest.cancel()
    local buffer = vim.api.nvim_get_current_buf()
    local one = M.get(buffer)
    if not one then
      return done(false)
    end
    local params = { textDocument = M.document(buffer), position = M.position(one) }
    local this = { client = one, asked = asked, told = { done } }
    local sent, id = one:request(method, vim.tbl_extend("error", params, more), function(error, answer)
      if pending == this then
        tell_all(not error and vim.deep_equal(asked[1], place()), answer)
      end
    end, buffer)
    if not sent then
      return done(false)
    end
    this.id, pending = id, this
  end

  return latest
end

return M
