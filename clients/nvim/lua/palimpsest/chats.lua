--- Conversations as buffers: begun, opened, sent, stopped, forked, compacted.  Owner of which one was at hand last.
local client = require("palimpsest.client")
local documents = require("palimpsest.chat_documents")
local tell = require("palimpsest.tell")
local waiting = require("palimpsest.waiting")

local M = {}

local api = vim.api
local SUFFIX = documents.SUFFIX
local NONE = "open a conversation first: `:Palimpsest chat`."

local WRITERS = { model = "the model", mechanical = "rules", person = "you" }

local last ---@type string?

M.id = documents.id
M.is = documents.is

--- The conversation of the current buffer, or the one that was at hand last; nil, and a sentence about it, for none.
---@return string?
function M.need()
  last = M.id(0) or last
  if not last then
    tell.say(NONE, vim.log.levels.WARN)
  end
  return last
end

---@param conversation string
---@return integer?
local function buffer_of(conversation)
  return vim.iter(api.nvim_list_bufs()):find(function(buffer)
    return api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].buftype == "" and M.id(buffer) == conversation
  end)
end

--- The document that is meant: the current buffer's, else that of the conversation that was at hand last.
---@return integer?
local function document()
  if M.is(0) then
    return api.nvim_get_current_buf()
  end
  local buffer = last and buffer_of(last)
  if not buffer then
    tell.say(NONE, vim.log.levels.WARN)
  end
  return buffer
end

--- A name that no file and no buffer has, in the workspace.
---@param wanted string
local function free_path(wanted)
  local one = client.get()
  local folder = (one and one.root_dir) or vim.fn.getcwd()
  local stem = wanted:sub(1, -1 - #SUFFIX)
  for number = 1, math.huge do
    local path = vim.fs.joinpath(folder, stem .. (number > 1 and "-" .. number or "") .. SUFFIX)
    if not vim.uv.fs_stat(path) and vim.fn.bufexists(path) == 0 then
      return path
    end
  end
end

---@param buffer integer
local function to_window(buffer)
  local there = vim.fn.win_findbuf(buffer)[1]
  if there then
    api.nvim_set_current_win(there)
  else
    api.nvim_open_win(buffer, true, { split = "right" })
  end
  api.nvim_win_set_cursor(0, { api.nvim_buf_line_count(buffer), 0 })
  last = M.id(buffer) or last
end

--- A document that is no file until it is written.
---@param name string
---@param text string
---@return integer
local function fresh(name, text)
  local buffer = api.nvim_create_buf(true, false)
  api.nvim_buf_set_name(buffer, free_path(name))
  api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, "\n", { plain = true }))
  vim.bo[buffer].filetype = "markdown"
  return buffer
end

---@param one { conversation: string, uri: string, text: string }
local function show(one)
  local buffer, path = buffer_of(one.conversation), documents.file(one)
  if not buffer and path then
    vim.cmd({ cmd = "split", args = { vim.fn.fnameescape(path) }, mods = { vertical = true, split = "belowright" } })
    buffer = api.nvim_get_current_buf()
  end
  to_window(buffer or fresh(vim.uri_decode(one.uri):match("[^/:]*$"), one.text))
end

---@param name string
---@param argument table
local function opened(name, argument)
  waiting.for_server(function()
    client.command("palimpsest.conversation." .. name, argument, function(answer)
      if answer then
        show(answer)
      end
    end)
  end)
end

---@param words? string[] its name
function M.begin(words)
  opened("new", { name = table.concat(words or {}, " ") })
end

---@param done fun(conversations: table[])
local function listed(done)
  waiting.for_server(function()
    client.command("palimpsest.conversation.list", nil, function(answer)
      if answer then
        done(answer.conversations)
      end
    end)
  end)
end

local function title(one)
  return one.name ~= "" and one.name or one.conversation
end

--- One of the workspace's, or a new one.
function M.choose()
  listed(function(conversations)
    table.insert(conversations, { name = "New conversation", conversation = "", updated = "" })
    vim.ui.select(conversations, {
      prompt = "Conversation",
      format_item = function(one)
        return vim.trim(("%-40s %s"):format(title(one), (one.updated:gsub("T", " "))))
      end,
    }, function(one)
      if one and one.conversation == "" then
        M.begin()
      elseif one then
        opened("open", { conversation = one.conversation })
      end
    end)
  end)
end

--- `:Palimpsest chat`: a new one; with an id or a name, the one that is called so, else a new one of that name.
---@param words string[]
function M.chat(words)
  local name = table.concat(words, " ")
  if name == "" then
    return M.begin()
  end
  listed(function(conversations)
    local found = vim.iter(conversations):find(function(one)
      return one.conversation == name or one.name == name
    end)
    if found then
      opened("open", { conversation = found.conversation })
    else
      M.begin(words)
    end
  end)
end

---@param name "send"|"stop"
---@return integer?
local function of_document(name)
  local buffer = document()
  if buffer then
    client.command("palimpsest.conversation." .. name, { uri = client.uri(buffer) }, nil, { buffer = buffer })
  end
  return buffer
end

--- The turn that is sent goes to the top of its windows: the reply comes below it, and is to be seen.
---@param buffer integer
local function to_top(buffer)
  local lines = api.nvim_buf_get_lines(buffer, 0, -1, false)
  local last_turn = vim
    .iter(ipairs(lines))
    :filter(function(_, line)
      return vim.startswith(line, "## user")
    end)
    :last()
  for _, window in ipairs(last_turn and vim.fn.win_findbuf(buffer) or {}) do
    api.nvim_win_call(window, function()
      vim.fn.winrestview({ topline = math.max(1, last_turn - 1) })
    end)
  end
end

--- What stands last in the document is said; the reply comes into it.
function M.send()
  local buffer = of_document("send")
  if buffer then
    to_top(buffer)
  end
end

function M.stop()
  of_document("stop")
end

--- A copy that goes on by itself: beside the document if that is a file, else in a document of no file.
function M.fork()
  local conversation = M.need()
  local buffer = conversation and buffer_of(conversation)
  local is_file = buffer and vim.uv.fs_stat(api.nvim_buf_get_name(buffer))
  if is_file then
    client.command("palimpsest.conversation.fork", { conversation = conversation, uri = client.uri(buffer) })
  elseif conversation then
    opened("fork", { conversation = conversation })
  end
end

function M.compact()
  local conversation = M.need()
  if not conversation then
    return
  end
  vim.ui.input({ prompt = "How the summary is written (may be empty): " }, function(instruction)
    if not instruction then
      return
    end
    local wanted = { conversation = conversation, instruction = instruction ~= "" and instruction or nil }
    client.command("palimpsest.conversation.compact", wanted, function(answer)
      if answer then
        tell.say(("a summary, written by %s, stands for what was said."):format(WRITERS[answer.written_by]))
      end
    end)
  end)
end

return M
