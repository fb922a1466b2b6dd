--- Neovim's own inline completion (0.12), which asks by itself 200 ms after a keystroke, and draws: for those who want
--- it or have it on.  What it is told is noted in `shown.lua`, which follows what is typed; what is taken is inserted
--- by `completion.lua`, since its own acceptance knows no word and no line, and leaves what was typed since it asked.
local config = require("palimpsest.config")
local events = require("palimpsest.events")
local shown = require("palimpsest.shown")

local M = {}

local api = vim.api
local space = api.nvim_create_namespace("nvim.lsp.inline_completion")

--- Whether it is used in this Neovim with these settings.
function M.serves()
  local is_wanted, own = config.get().inline.backend == "native", config.get().completion
  return is_wanted and vim.lsp.inline_completion ~= nil and own.trigger == "automatic" and own.show ~= "key"
end

--- Makes it ask once more where the cursor is, as it does when Insert mode begins.
function M.again(buffer)
  local group = ("nvim.lsp.inline_completion:%d"):format(buffer)
  pcall(api.nvim_exec_autocmds, "InsertEnter", { group = group, modeline = false })
end

local hidden = false

--- It goes on drawing until the next answer whatever is typed into it, and below any menu: what no longer agrees or has
--- no place goes at once, unless it may be another server's.
function M.follow(buffer)
  local servers = vim.lsp.get_clients({ bufnr = buffer, method = "textDocument/inlineCompletion" })
  local agrees, has_place, was_hidden = shown.follow(), shown.has_place(), hidden
  hidden = agrees and not has_place
  if not (agrees and has_place) and #servers == 1 then
    api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  elseif was_hidden then
    M.again(buffer)
  end
end

function M.on(buffer)
  if M.serves() and not shown.by_neovim(buffer) then
    vim.lsp.inline_completion.enable(true, { bufnr = buffer })
    events.listen(buffer, { { "CursorMovedI", M.follow } }, "native") -- behind its own
  end
end

function M.off(buffer)
  events.close(buffer, "native")
  if shown.by_neovim(buffer) then
    vim.lsp.inline_completion.enable(false, { bufnr = buffer })
  end
end

local asked, answered = 0, 0 -- requests, and the latest of them that has an answer

--- What it does with an answer, and we with it.  One that comes after its end would be drawn and stay, and one to an
--- older request, which says what was so before a key, would take away what a newer one has shown.
---@param one vim.lsp.Client
---@param handler lsp.Handler
function M.hearing(one, handler, buffer)
  asked = asked + 1
  local number = asked
  return function(error, result, context)
    if number > answered and shown.by_neovim(buffer) then
      answered = number
      handler(error, result, context)
      if api.nvim_get_current_buf() == buffer and events.inserting() then
        shown.offer(result, one.offset_encoding)
        M.follow(buffer)
      end
    end
  end
end

return M
