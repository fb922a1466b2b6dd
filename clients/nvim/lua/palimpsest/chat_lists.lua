--- What is in a conversation, in the location list: refs, descriptors, documents.  Its texts into files and buffers.
local chats = require("palimpsest.chats")
local client = require("palimpsest.client")
local scratch = require("palimpsest.scratch")
local tell = require("palimpsest.tell")

local M = {}

--- Rows as the server lists them (`palimpsest.conversation.contents`), those that lead somewhere with a file or buffer.
local function item(row)
  local filename = row.uri ~= "" and scratch.name(row.uri, row.language) or nil
  return {
    text = ("%s  %s"):format(row.label, row.about),
    filename = filename,
    lnum = filename and 1,
    valid = filename and 1 or 0,
  }
end

local function list(kind)
  return function()
    chats.command("conversation.contents", nil, function(found)
      if #found[kind] == 0 then
        return tell.say(("the conversation has no %s."):format(kind))
      end
      local title = kind:sub(1, 1):upper() .. kind:sub(2) .. " of the conversation"
      vim.fn.setloclist(0, {}, " ", { title = title, items = vim.tbl_map(item, found[kind]) })
      vim.cmd.lopen()
    end)
  end
end

M.refs, M.descriptors, M.documents = list("refs"), list("descriptors"), list("documents")

function M.usage()
  local conversation = chats.need()
  if conversation then
    vim.cmd.split(vim.fn.fnameescape(scratch.name("palimpsest:/usage/" .. conversation)))
  end
end

--- One of the conversation's refs and descriptors.
---@param done fun(row: table, command: string, which: table) what writes it to a file
local function choose(done)
  chats.command("conversation.contents", nil, function(found)
    local rows = vim.list_extend(vim.list_slice(found.refs), found.descriptors)
    tell.choose("Which text", rows, function(row)
      return item(row).text
    end, function(row)
      local is_ref = vim.list_contains(found.refs, row)
      done(row, is_ref and "refs.write" or "fd.write", is_ref and { ref_id = row.id } or { fd = row.id })
    end, "the conversation has neither refs nor descriptors.")
  end)
end

local MODES = {
  write = "write: a new file, or in place of what is in it (you are asked)",
  append = "append: behind what is in it",
  insert = "insert: before a line",
}

--- A ref or descriptor into a file of the workspace.
function M.write()
  choose(function(_, command, which)
    local function write(how)
      chats.command(command, vim.tbl_extend("error", which, how, { ask = true }), function(answer)
        tell.say(("%d lines to %s."):format(answer.lines, answer.file_path))
      end)
    end
    tell.ask("File: ", function(path)
      if path == "" then
        return
      end
      tell.choose("How", { "write", "append", "insert" }, function(mode)
        return MODES[mode]
      end, function(mode)
        if mode ~= "insert" then
          return write({ file_path = path, mode = mode })
        end
        tell.ask("Before line: ", function(line)
          return tonumber(line) and write({ file_path = path, mode = mode, insert_at_line = tonumber(line) })
        end)
      end)
    end, "file")
  end)
end

--- A ref or descriptor below the line of the cursor.
function M.insert()
  local window = vim.api.nvim_get_current_win()
  choose(function(row)
    scratch.lines(row.uri, function(lines)
      if vim.api.nvim_win_is_valid(window) then
        vim.api.nvim_win_call(window, function()
          vim.api.nvim_put(lines, "l", true, true)
        end)
      end
    end)
  end)
end

--- What a person has allowed or refused the model for good: the answer that is chosen is forgotten.
function M.permissions()
  client.command("palimpsest.permissions.list", nil, function(answer)
    tell.choose("Have the model ask again", answer.permissions, function(one)
      return ("%s in %s"):format(one.says, one.folder)
    end, function(one)
      client.command("palimpsest.permissions.forget", { folder = one.folder, what = one.what }, function()
        tell.say("the model asks again.")
      end)
    end, "nothing is allowed or refused for good; the model asks each time.")
  end)
end

return M
