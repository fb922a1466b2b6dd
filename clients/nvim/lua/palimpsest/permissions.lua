--- What a person has allowed or refused the model for good: shown, and forgotten.
local client = require("palimpsest.client")
local tell = require("palimpsest.tell")

local M = {}

local DOES = { write = "write new files", add = "add to a file", overwrite = "replace what is in a file" }

local function title(one)
  return ("%s %s in %s"):format(one.allowed and "may" or "may not", DOES[one.what] or one.what, one.folder)
end

--- The answer that is chosen is forgotten: the model asks again.
function M.ask_again()
  client.command("palimpsest.permissions.list", vim.empty_dict(), function(answer)
    if not answer then
      return
    end
    if #answer.permissions == 0 then
      return tell.say("nothing is allowed or refused for good; the model asks each time.")
    end
    vim.ui.select(answer.permissions, { prompt = "Have the model ask again", format_item = title }, function(one)
      if one then
        client.command("palimpsest.permissions.forget", { folder = one.folder, what = one.what }, function(done)
          if done then
            tell.say("the model asks again.")
          end
        end)
      end
    end)
  end)
end

return M
