--- What goes on and takes long: the server's progress and the installation's.  Owner of the one line about it.
local client = require("palimpsest.client")

local M = {}

local text = ""

---@return string empty where nothing goes on
function M.text()
  return text
end

---@param now string
---@param echo? boolean in the message area, too
function M.set(now, echo)
  text = now
  vim.cmd.redrawstatus({ bang = true })
  if echo then
    vim.api.nvim_echo({ { now ~= "" and "Palimpsest: " .. now or "" } }, false, {})
  end
end

function M.listen()
  vim.api.nvim_create_autocmd("LspProgress", {
    group = vim.api.nvim_create_augroup("palimpsest.progress", { clear = true }),
    callback = function(event)
      local one = vim.lsp.get_client_by_id(event.data.client_id)
      local value = event.data.params and event.data.params.value
      if not one or one.name ~= client.name or type(value) ~= "table" then
        return
      end
      if value.kind == "end" then
        return M.set("")
      end
      local title = value.title or text:match("^[^:]+") or "busy"
      local share = value.percentage and ("%d %%"):format(value.percentage) or nil
      local rest = table.concat(
        vim.tbl_filter(function(part)
          return part ~= nil and part ~= ""
        end, { value.message or "", share or "" }),
        ", "
      )
      M.set(rest ~= "" and title .. ": " .. rest or title)
    end,
  })
end

return M
