--- Conversations as buffers: begun, opened, sent, stopped, forked, compacted, brought back.  Owner of which one was at
--- hand last.
local client = require("palimpsest.client")
local tell = require("palimpsest.tell")

local M = {}

local api = vim.api
local SUFFIX = ".palimpsest.md"
local HEAD_LINES = 40

local last ---@type string?

--- The id in the front matter of a conversation's document; nil for any other, and for one that nothing was said in.
---@return string?
function M.id(buffer)
  local lines = api.nvim_buf_get_lines(buffer, 0, HEAD_LINES, false)
  for row = 2, lines[1] == "---" and #lines or 0 do
    local id = lines[row]:match("^id:%s*(c%-%x+)%s*$")
    if id or lines[row] == "---" then
      return id
    end
  end
end

--- Whether it is a conversation's document, also one that nothing was said in.
function M.is(buffer)
  local name = api.nvim_buf_get_name(buffer)
  return vim.endswith(name, SUFFIX) or (name ~= "" and vim.bo[buffer].buftype == "" and M.id(buffer) ~= nil)
end

local function none()
  tell.warn("open a conversation first: `:Palimpsest chat`.")
end

--- The conversation of the current buffer, or the one that was at hand last; nil, and a sentence about it, for none.
---@return string?
function M.need()
  last = M.id(0) or last
  return last or none()
end

--- Runs a command with the conversation at hand.
---@param done? fun(answer: table)
function M.command(command, more, done)
  local conversation = M.need()
  if not conversation then
    return
  end
  local asked = vim.tbl_extend("error", { conversation = conversation }, more or {})
  client.command("palimpsest." .. command, asked, done)
end

---@return integer? buffer
function M.buffer_of(conversation)
  return conversation
    and vim.iter(api.nvim_list_bufs()):find(function(buffer)
      return api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].buftype == "" and M.id(buffer) == conversation
    end)
end

--- A document that is no file until it is written, under a name that no file and no buffer has.
---@param one table what `palimpsest.conversation.open` answers
local function fresh(one)
  local server, name = client.get(), vim.uri_decode(one.uri):match("[^/:]*$")
  local path = vim.fs.joinpath((server and server.root_dir) or vim.fn.getcwd(), name)
  if vim.uv.fs_stat(path) or vim.fn.bufexists(path) == 1 then
    path = ("%s-%s%s"):format(path:sub(1, -1 - #SUFFIX), one.conversation, SUFFIX)
  end
  local buffer = api.nvim_create_buf(true, false)
  api.nvim_buf_set_name(buffer, path)
  api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(one.text, "\n"))
  vim.bo[buffer].filetype = "markdown"
  return buffer
end

---@param one table what `palimpsest.conversation.open` answers
local function show(one)
  local buffer = M.buffer_of(one.conversation) or one.is_file and vim.uri_to_bufnr(one.uri) or fresh(one)
  vim.bo[buffer].buflisted = true
  local there = vim.fn.win_findbuf(buffer)[1]
  if there then
    api.nvim_set_current_win(there)
  else
    api.nvim_open_win(buffer, true, { split = "right" })
  end
  api.nvim_win_set_cursor(0, { api.nvim_buf_line_count(buffer), 0 })
  last = M.id(buffer) or last
end

--- Waits for the server where it has just been started.
local function ask(name, asked, done)
  require("palimpsest.start").wait(function()
    client.command("palimpsest.conversation." .. name, asked, done)
  end)
end

---@param words? string[] its name
function M.begin(words)
  ask("new", { name = table.concat(words or {}, " ") }, show)
end

--- `:Palimpsest chat`: a new one; with an id or a name, the one that is called so, else a new one of that name.
function M.chat(words)
  ask("new", { name = table.concat(words, " "), existing = #words > 0 }, show)
end

--- One of the workspace's, or a new one.
function M.choose()
  ask("list", nil, function(answer)
    table.insert(answer.conversations, { name = "New conversation", conversation = "", updated = "" })
    tell.choose("Conversation", answer.conversations, function(one)
      local name = one.name ~= "" and one.name or one.conversation
      return vim.trim(("%-40s %s"):format(name, (one.updated:gsub("T", " "))))
    end, function(one)
      if one.conversation == "" then
        return M.begin()
      end
      ask("open", { conversation = one.conversation }, show)
    end)
  end)
end

--- For the document of the current buffer, else that of the conversation that was at hand last.
---@param name "send"|"stop"
---@return integer? buffer
local function of_document(name)
  local buffer = M.is(0) and api.nvim_get_current_buf() or M.buffer_of(last)
  if not buffer then
    return none()
  end
  client.command("palimpsest.conversation." .. name, { uri = vim.uri_from_bufnr(buffer) }, nil, { buffer = buffer })
  return buffer
end

--- What stands last in the document is said; the reply comes into it.  The turn that is sent goes to the top of its
--- windows: the reply comes below it, and is to be seen.
function M.send()
  local buffer, turn = of_document("send"), nil
  for row, line in ipairs(buffer and api.nvim_buf_get_lines(buffer, 0, -1, false) or {}) do
    turn = vim.startswith(line, "## user") and row or turn
  end
  for _, window in ipairs(turn and vim.fn.win_findbuf(buffer) or {}) do
    api.nvim_win_call(window, function()
      vim.fn.winrestview({ topline = math.max(1, turn - 1) })
    end)
  end
end

function M.stop()
  of_document("stop")
end

--- A copy that goes on by itself: beside the document if that is a file, else in a document of no file.
function M.fork()
  local buffer = M.buffer_of(M.id(0) or last)
  local is_file = buffer and vim.uv.fs_stat(api.nvim_buf_get_name(buffer)) ~= nil
  M.command("conversation.fork", { uri = is_file and vim.uri_from_bufnr(buffer) or nil }, not is_file and show or nil)
end

---@param words string[] the most tokens that the messages take then, if it is said
function M.compact(words)
  local target = tonumber(words[1]) or words[1]
  return M.need()
    and tell.ask("How the summary is written (may be empty): ", function(text)
      M.command("conversation.compact", { instruction = text ~= "" and text or nil, target = target })
    end)
end

--- Keeps the conversation as it is, to come back to.
function M.checkpoint()
  return M.need()
    and tell.ask("The checkpoint's name (may be empty): ", function(name)
      M.command("checkpoint.create", { name = name }, function(answer)
        tell.say(("kept as checkpoint %s."):format(name ~= "" and name or answer.checkpoint_id))
      end)
    end)
end

--- Goes back to a checkpoint.  Nothing is lost: what is there now becomes one, too.
function M.restore()
  M.command("conversation.contents", nil, function(answer)
    tell.choose("Go back to", answer.checkpoints, function(one)
      return ("%-40s %s"):format(one.label, one.about)
    end, function(one)
      M.command("checkpoint.restore", { checkpoint_id = one.id }, function(found)
        tell.say(("what was there is kept as checkpoint %s."):format(found.before))
      end)
    end, "the conversation has no checkpoints.")
  end)
end

return M
