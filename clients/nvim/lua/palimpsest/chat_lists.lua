--- What is in a conversation, in the location list: refs, descriptors, documents.  Its texts into files and buffers.
local chats = require("palimpsest.chats")
local client = require("palimpsest.client")
local tell = require("palimpsest.tell")
local virtual = require("palimpsest.virtual")

local M = {}

---@param title string
---@param items table[]
local function fill(title, items)
  if #items == 0 then
    return tell.say(("the conversation has no %s."):format(title:lower()))
  end
  vim.fn.setloclist(0, {}, " ", { title = title .. " of the conversation", items = items })
  vim.cmd.lopen()
end

---@param command string
---@param done fun(answer: table, conversation: string)
local function ask(command, done)
  local conversation = chats.need()
  if conversation then
    client.command("palimpsest." .. command, { conversation = conversation }, function(answer)
      if answer then
        done(answer, conversation)
      end
    end)
  end
end

local function about_ref(ref)
  local language = ref.language ~= "" and ref.language or "text"
  return ("%s  %s, %d lines, version %d"):format(ref.id, language, ref.lines, ref.version)
end

local function about_descriptor(one)
  local name = one.name ~= "" and one.name or one.source
  local what = one.summary ~= "" and one.summary or ("%d lines, %d pages"):format(one.total_lines, one.pages)
  return ("%s  %s: %s"):format(one.fd, name, what)
end

function M.refs()
  ask("refs.list", function(answer, conversation)
    fill(
      "Refs",
      vim.tbl_map(function(ref)
        local name = virtual.name("ref", { conversation, ref.id }, ref.language)
        return { filename = name, lnum = 1, text = about_ref(ref) }
      end, answer.refs)
    )
  end)
end

function M.descriptors()
  ask("fd.list", function(answer, conversation)
    fill(
      "Descriptors",
      vim.tbl_map(function(one)
        local name = virtual.name("fd", { conversation, one.fd }, one.language)
        return { filename = name, lnum = 1, text = about_descriptor(one) }
      end, answer.descriptors)
    )
  end)
end

--- Broken links are listed, too, and lead nowhere.
function M.documents()
  ask("documents.list", function(answer)
    fill(
      "Documents",
      vim.tbl_map(function(one)
        local problem = type(one.problem) == "string" and one.problem ~= "" and "  " .. one.problem or ""
        local found = type(one.uri) == "string" and one.uri ~= ""
        local text = one.wikilink .. problem
        return found and { filename = vim.uri_to_fname(one.uri), lnum = 1, text = text } or { text = text, valid = 0 }
      end, answer.documents)
    )
  end)
end

function M.usage()
  local conversation = chats.need()
  if conversation then
    virtual.open(virtual.name("usage", { conversation }))
  end
end

---@class palimpsest.ChatText
---@field title string
---@field command string which writes it
---@field argument table

--- One of the conversation's refs and descriptors.
---@param done fun(one: palimpsest.ChatText, conversation: string)
local function choose(done)
  ask("refs.list", function(refs, conversation)
    ask("fd.list", function(descriptors)
      local texts = vim.tbl_map(function(ref)
        return { title = about_ref(ref), command = "refs.write", argument = { ref_id = ref.id } }
      end, refs.refs)
      vim.list_extend(
        texts,
        vim.tbl_map(function(one)
          return { title = about_descriptor(one), command = "fd.write", argument = { fd = one.fd } }
        end, descriptors.descriptors)
      )
      if #texts == 0 then
        return tell.say("the conversation has neither refs nor descriptors.")
      end
      vim.ui.select(texts, {
        prompt = "Which text",
        format_item = function(one)
          return one.title
        end,
      }, function(one)
        if one then
          done(one, conversation)
        end
      end)
    end)
  end)
end

local MODES = {
  { mode = "write", title = "write: a new file, or in place of what is in it (you are asked)" },
  { mode = "append", title = "append: behind what is in it" },
  { mode = "insert", title = "insert: before a line" },
}

---@param text palimpsest.ChatText
---@param argument table
local function write(text, argument)
  client.command("palimpsest." .. text.command, vim.tbl_extend("error", text.argument, argument), function(answer)
    if answer then
      tell.say(("%d lines to %s."):format(answer.lines, answer.file_path))
    end
  end)
end

--- A ref or descriptor into a file of the workspace.
function M.write()
  choose(function(text, conversation)
    vim.ui.input({ prompt = "File: ", completion = "file" }, function(path)
      if not path or path == "" then
        return
      end
      vim.ui.select(MODES, {
        prompt = "How",
        format_item = function(one)
          return one.title
        end,
      }, function(how)
        if not how then
          return
        end
        local argument = { conversation = conversation, file_path = path, mode = how.mode, ask = true }
        if how.mode ~= "insert" then
          return write(text, argument)
        end
        vim.ui.input({ prompt = "Before line: " }, function(line)
          argument.insert_at_line = tonumber(line)
          if argument.insert_at_line then
            write(text, argument)
          end
        end)
      end)
    end)
  end)
end

--- A ref or descriptor below the line of the cursor.
function M.insert()
  local window = vim.api.nvim_get_current_win()
  choose(function(text, conversation)
    local kind = text.argument.ref_id and "ref" or "fd"
    local id = vim.uri_encode(text.argument.ref_id or text.argument.fd)
    local uri = ("palimpsest:/%s/%s/%s"):format(kind, conversation, id)
    client.command("palimpsest.virtual.read", { uri = uri }, function(answer)
      if answer and vim.api.nvim_win_is_valid(window) then
        vim.api.nvim_win_call(window, function()
          vim.api.nvim_put(vim.split(answer.text:gsub("\n$", ""), "\n", { plain = true }), "l", true, true)
        end)
      end
    end)
  end)
end

return M
