--- Asks the server for completions at the cursor; an answer for another place, or for what was typed since, is dropped.
--- Owner of the question that is under way.
local answers = require("palimpsest.answers")
local client = require("palimpsest.client")
local shown = require("palimpsest.shown")

local M = {}

local api = vim.api
local METHOD = "textDocument/inlineCompletion"
M.INVOKED, M.AUTOMATIC = 1, 2

local pending ---@type { client: vim.lsp.Client, id: integer }?

local function inserting()
  return api.nvim_get_mode().mode:find("^i") ~= nil
end

function M.cancel()
  if pending then
    pending.client:cancel_request(pending.id)
    pending = nil
  end
end

--- In place of the question before.
---@param kind integer
---@param done? fun(choices: palimpsest.Choice[]) nil: the server is only to have it ready
function M.ask(kind, done)
  M.cancel()
  local buffer, row, column = shown.here()
  local one = client.get(buffer)
  if not one or not inserting() then
    return
  end
  local tick = api.nvim_buf_get_changedtick(buffer)
  local params = {
    textDocument = { uri = client.uri(buffer) },
    position = client.position(one),
    context = { triggerKind = kind },
  }
  local this = { client = one }
  local ok, id = one:request(METHOD, params, function(error, result)
    if pending ~= this then
      return
    end
    pending = nil
    local now, now_row, now_column = shown.here()
    local same = now == buffer and now_row == row and now_column == column
    if error or not done or not same or not inserting() or api.nvim_buf_get_changedtick(buffer) ~= tick then
      return
    end
    done(answers.choices(result, one.offset_encoding, row, column, api.nvim_get_current_line()))
  end, buffer)
  if ok then
    this.id = id
    pending = this
  end
end

--- Whether a request is one that a person did not ask for.
---@param method string
---@param params table
function M.is_unasked(method, params)
  return method == METHOD and params.context.triggerKind == M.AUTOMATIC
end

return M
