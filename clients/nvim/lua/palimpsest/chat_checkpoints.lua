--- States of a conversation to come back to.
local chats = require("palimpsest.chats")
local client = require("palimpsest.client")
local tell = require("palimpsest.tell")

local M = {}

function M.create()
  local conversation = chats.need()
  if conversation then
    vim.ui.input({ prompt = "The checkpoint's name (may be empty): " }, function(name)
      if name then
        client.command("palimpsest.checkpoint.create", { conversation = conversation, name = name }, function(answer)
          if answer then
            tell.say(("kept as checkpoint %s."):format(name ~= "" and name or answer.checkpoint_id))
          end
        end)
      end
    end)
  end
end

local function title(one)
  local name = one.name ~= "" and one.name or one.checkpoint_id
  return ("%-40s %s%s"):format(name, (one.created:gsub("T", " ")), one.automatic and "  automatic" or "")
end

local function go_back(conversation, checkpoint)
  local argument = { conversation = conversation, checkpoint_id = checkpoint.checkpoint_id }
  client.command("palimpsest.checkpoint.restore", argument, function(answer)
    if answer then
      tell.say(("what was there is kept as checkpoint %s."):format(answer.before))
    end
  end)
end

--- Nothing is lost: what is there now becomes a checkpoint, too.
function M.restore()
  local conversation = chats.need()
  if not conversation then
    return
  end
  client.command("palimpsest.checkpoint.list", { conversation = conversation }, function(answer)
    if not answer then
      return
    end
    if #answer.checkpoints == 0 then
      return tell.say("the conversation has no checkpoints.")
    end
    vim.ui.select(answer.checkpoints, { prompt = "Go back to", format_item = title }, function(one)
      if one then
        go_back(conversation, one)
      end
    end)
  end)
end

return M
