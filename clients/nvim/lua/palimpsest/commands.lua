--- `:Palimpsest <id>`: every command by the name it has in each editor, and a menu of them.
local M = {}

---@class palimpsest.Command
---@field id string
---@field title string
---@field run fun(words: string[], arguments: table)
---@field words? string[] what may follow

---@param module string
---@param name string
local function call(module, name)
  return function(words, arguments)
    require("palimpsest." .. module)[name](words, arguments)
  end
end

local ON_OFF = { "completion", "nextEdit", "suggestion", "everywhere", "language", "folder", "buffer", "on", "off" }

---@type table<string, { run: fun(words: string[], arguments: table), words?: string[]|"file" }>
local RUNS = {
  complete = { run = call("completion", "ask") },
  show = { run = call("completion", "reveal") },
  jump = { run = call("closers", "jump") },
  snooze = { run = call("snooze", "run"), words = { "5", "15", "60", "0" } },
  nextEdit = { run = call("next_edits", "take") },
  ["nextEdit.dismiss"] = { run = call("next_edits", "dismiss") },
  edit = { run = call("edits", "here") },
  ["edit.instruction"] = { run = call("edits", "with_instruction") },
  ["edit.alternatives"] = { run = call("edits", "alternatives") },
  ["edit.accept"] = { run = call("edits", "accept") },
  ["edit.reject"] = { run = call("edits", "reject") },
  ["edit.again"] = { run = call("edits", "again") },
  ["edit.continue"] = { run = call("edits", "go_on") },
  context = { run = call("context", "open") },
  ["context.pin"] = { run = call("context", "pin"), words = "file" },
  ["context.unpin"] = { run = call("context", "unpin"), words = "file" },
  cache = { run = call("cache", "open") },
  ["cache.reset"] = { run = call("cache", "reset") },
  toggle = { run = call("toggle", "run"), words = ON_OFF },
  commitMessage = { run = call("reports", "commit_message") },
  model = { run = call("models", "open") },
  statistics = { run = call("reports", "statistics") },
  doctor = { run = call("reports", "doctor") },
  log = { run = call("reports", "log") },
  status = { run = call("status", "open") },
  restartEngine = { run = call("reports", "restart_engine") },
  restartServer = {
    run = function()
      require("palimpsest.start").restart()
    end,
  },
  install = { run = call("install", "run") },
  sample = { run = call("reports", "sample") },
  chat = { run = call("chats", "chat") },
  ["conversation.new"] = { run = call("chats", "begin") },
  ["conversation.open"] = { run = call("chats", "choose") },
  ["conversation.send"] = { run = call("chats", "send") },
  ["conversation.stop"] = { run = call("chats", "stop") },
  ["conversation.fork"] = { run = call("chats", "fork") },
  ["conversation.compact"] = { run = call("chats", "compact") },
  ["conversation.checkpoint"] = { run = call("chat_checkpoints", "create") },
  ["conversation.restore"] = { run = call("chat_checkpoints", "restore") },
  ["conversation.refs"] = { run = call("chat_lists", "refs") },
  ["conversation.descriptors"] = { run = call("chat_lists", "descriptors") },
  ["conversation.documents"] = { run = call("chat_lists", "documents") },
  ["conversation.write"] = { run = call("chat_lists", "write") },
  ["conversation.insert"] = { run = call("chat_lists", "insert") },
  ["conversation.permissions"] = { run = call("permissions", "ask_again") },
  ["conversation.usage"] = { run = call("chat_lists", "usage") },
}

---@return palimpsest.Command[]
function M.all()
  local found = {}
  for _, one in ipairs(require("palimpsest.generated").commands) do
    if RUNS[one.id] then
      table.insert(found, { id = one.id, title = one.title, run = RUNS[one.id].run, words = RUNS[one.id].words })
    end
  end
  return found
end

---@param id string
---@param words string[]
---@param arguments table
local function run(id, words, arguments)
  require("palimpsest.start").begin()
  RUNS[id].run(words, arguments)
end

--- One by its id, as a mapping calls it.
---@param id string
function M.call(id)
  run(id, {}, {})
end

---@param arguments table of the user command
function M.run(arguments)
  local words = vim.deepcopy(arguments.fargs)
  local id = table.remove(words, 1)
  if id and RUNS[id] then
    return run(id, words, arguments)
  elseif id then
    local text = ("there is no command `%s`; `:Palimpsest` alone shows all of them."):format(id)
    return require("palimpsest.tell").say(text, vim.log.levels.ERROR)
  end
  vim.ui.select(M.all(), {
    prompt = "Palimpsest",
    format_item = function(command)
      return command.title
    end,
  }, function(command)
    if command then
      run(command.id, {}, arguments)
    end
  end)
end

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local words = vim.split(line:gsub("^.-Palimpsest%s+", ""), "%s+")
  local found = {}
  if #words > 1 then
    found = RUNS[words[1]] and RUNS[words[1]].words or {}
    if found == "file" then
      return vim.fn.getcompletion(lead, "file")
    end
  else
    for _, command in ipairs(M.all()) do
      table.insert(found, command.id)
    end
  end
  return vim
    .iter(found)
    :filter(function(one)
      return vim.startswith(one, lead)
    end)
    :totable()
end

return M
