--- What is in a conversation, in the location list: refs, descriptors, documents.  Its texts into files and buffers.
local chats = require("palimpsest.chats")
local client = require("palimpsest.client")
local tell = require("palimpsest.tell")
local virtual = require("palimpsest.virtual")

local M = {}

--- A text of a conversation: what it is called in a list, where it is read, what writes it.
local function ref(one, conversation)
  local language = one.language ~= "" and one.language or "text"
  return {
    text = ("%s  %s, %d lines, version %d"):format(one.id, language, one.lines, one.version),
    filename = virtual.name("ref", { conversation, one.id }, one.language),
    lnum = 1,
    user_data = { "refs.write", { ref_id = one.id } },
  }
end

local function descriptor(one, conversation)
  local name = one.name ~= "" and one.name or one.source
  local what = one.summary ~= "" and one.summary or ("%d lines, %d pages"):format(one.total_lines, one.pages)
  return {
    text = ("%s  %s: %s"):format(one.fd, name, what),
    filename = virtual.name("fd", { conversation, one.fd }, one.language),
    lnum = 1,
    user_data = { "fd.write", { fd = one.fd } },
  }
end

--- One whose link is broken leads nowhere.
local function document(one)
  local problem = type(one.problem) == "string" and one.problem ~= "" and "  " .. one.problem or ""
  local found = type(one.uri) == "string" and one.uri ~= ""
  return {
    text = one.wikilink .. problem,
    filename = found and vim.uri_to_fname(one.uri) or nil,
    lnum = found and 1 or nil,
    valid = found and 1 or 0,
  }
end

--- Those that a command of the server lists.
---@param of string the answer's field
---@param row fun(one: table, conversation: string): table
---@param done fun(items: table[])
local function listed(command, of, row, done)
  chats.command(command, nil, function(answer, conversation)
    done(vim.tbl_map(function(one)
      return row(one, conversation)
    end, answer[of]))
  end)
end

local function list(command, of, row)
  return function()
    listed(command, of, row, function(items)
      if #items == 0 then
        return tell.say(("the conversation has no %s."):format(of))
      end
      local title = of:sub(1, 1):upper() .. of:sub(2) .. " of the conversation"
      vim.fn.setloclist(0, {}, " ", { title = title, items = items })
      vim.cmd.lopen()
    end)
  end
end

M.refs = list("refs.list", "refs", ref)
M.descriptors = list("fd.list", "descriptors", descriptor)
M.documents = list("documents.list", "documents", document)

function M.usage()
  local conversation = chats.need()
  if conversation then
    vim.cmd.split(vim.fn.fnameescape(virtual.name("usage", { conversation })))
  end
end

--- One of the conversation's refs and descriptors.
---@param done fun(item: table)
local function choose(done)
  listed("refs.list", "refs", ref, function(refs)
    listed("fd.list", "descriptors", descriptor, function(descriptors)
      local items = vim.list_extend(refs, descriptors)
      if #items == 0 then
        return tell.say("the conversation has neither refs nor descriptors.")
      end
      tell.choose("Which text", items, function(item)
        return item.text
      end, done)
    end)
  end)
end

local MODES = {
  write = "write: a new file, or in place of what is in it (you are asked)",
  append = "append: behind what is in it",
  insert = "insert: before a line",
}

local function write(item, path, mode, line)
  local command, what = unpack(item.user_data)
  local how = { file_path = path, mode = mode, insert_at_line = line, ask = true }
  chats.command(command, vim.tbl_extend("error", what, how), function(answer)
    tell.say(("%d lines to %s."):format(answer.lines, answer.file_path))
  end)
end

--- A ref or descriptor into a file of the workspace.
function M.write()
  choose(function(item)
    tell.ask("File: ", function(path)
      if path == "" then
        return
      end
      tell.choose("How", { "write", "append", "insert" }, function(mode)
        return MODES[mode]
      end, function(mode)
        if mode ~= "insert" then
          return write(item, path, mode)
        end
        tell.ask("Before line: ", function(line)
          return tonumber(line) and write(item, path, mode, tonumber(line))
        end)
      end)
    end, "file")
  end)
end

--- A ref or descriptor below the line of the cursor.
function M.insert()
  local window = vim.api.nvim_get_current_win()
  choose(function(item)
    virtual.lines(item.filename, function(lines)
      if vim.api.nvim_win_is_valid(window) then
        vim.api.nvim_win_call(window, function()
          vim.api.nvim_put(lines, "l", true, true)
        end)
      end
    end)
  end)
end

local DOES = { write = "write new files", add = "add to a file", overwrite = "replace what is in a file" }

--- What a person has allowed or refused the model for good: the answer that is chosen is forgotten.
function M.permissions()
  client.command("palimpsest.permissions.list", nil, function(answer)
    if #answer.permissions == 0 then
      return tell.say("nothing is allowed or refused for good; the model asks each time.")
    end
    tell.choose("Have the model ask again", answer.permissions, function(one)
      return ("%s %s in %s"):format(one.allowed and "may" or "may not", DOES[one.what] or one.what, one.folder)
    end, function(one)
      client.command("palimpsest.permissions.forget", { folder = one.folder, what = one.what }, function()
        tell.say("the model asks again.")
      end)
    end)
  end)
end

return M
