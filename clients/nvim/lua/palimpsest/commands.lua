--- `:Palimpsest <id>`: every command by the name it has in each editor, and a menu of them.
local M = {}

--- Rows of the screen that `vim.ui.select` takes for itself.
local AROUND = 3

local ON_OFF = { "completion", "nextEdit", "suggestion", "everywhere", "language", "folder", "buffer", "on", "off" }

--- What each one calls: `module.function`, with the words behind it and the arguments of the user command.
local RUNS = {
  complete = "completion.ask",
  show = "completion.reveal",
  jump = "closing.jump",
  snooze = "switches.snooze",
  nextEdit = "next_edits.take",
  ["nextEdit.dismiss"] = "next_edits.dismiss",
  edit = "edits.here",
  ["edit.instruction"] = "edits.with_instruction",
  ["edit.alternatives"] = "edits.alternatives",
  ["edit.accept"] = "edits.accept",
  ["edit.reject"] = "edits.reject",
  ["edit.again"] = "edits.again",
  ["edit.continue"] = "edits.go_on",
  context = "pages.context",
  ["context.why"] = "pages.why",
  ["context.pin"] = "pages.pin",
  ["context.unpin"] = "pages.unpin",
  cache = "pages.cache",
  ["cache.reset"] = "pages.reset",
  toggle = "switches.toggle",
  commitMessage = "reports.commit_message",
  model = "models.open",
  statistics = "reports.statistics",
  doctor = "reports.doctor",
  log = "reports.log",
  status = "status.open",
  restartEngine = "reports.restart_engine",
  restartServer = "start.restart",
  install = "install.run",
  sample = "reports.sample",
  chat = "chats.chat",
  ["conversation.new"] = "chats.begin",
  ["conversation.open"] = "chats.choose",
  ["conversation.send"] = "chats.send",
  ["conversation.stop"] = "chats.stop",
  ["conversation.fork"] = "chats.fork",
  ["conversation.compact"] = "chats.compact",
  ["conversation.checkpoint"] = "chats.checkpoint",
  ["conversation.restore"] = "chats.restore",
  ["conversation.refs"] = "chat_lists.refs",
  ["conversation.descriptors"] = "chat_lists.descriptors",
  ["conversation.documents"] = "chat_lists.documents",
  ["conversation.write"] = "chat_lists.write",
  ["conversation.insert"] = "chat_lists.insert",
  ["conversation.permissions"] = "chat_lists.permissions",
  ["conversation.usage"] = "chat_lists.usage",
}
--- What may follow them.
local WORDS = { snooze = { "5", "15", "60", "0" }, toggle = ON_OFF }

--- But for what the installation has nothing of.
---@return { id: string, title: string }[]
function M.all()
  return vim.tbl_filter(function(command)
    return require("palimpsest.client").has(command.needs)
  end, require("palimpsest.generated").commands)
end

--- One by its id, as a mapping calls it.
---@param id string
---@param arguments? table of the user command
function M.call(id, words, arguments)
  local module, name = RUNS[id]:match("^(.+)%.(.+)$")
  require("palimpsest.start").begin()
  require("palimpsest." .. module)[name](words or {}, arguments or {})
end

--- What has many commands is one row where all of them would not fit on the screen.
---@param commands { id: string, title: string }[]
local function choose(commands, done)
  local rows, of = commands, {}
  if #commands > vim.o.lines - AROUND then
    rows = {}
    for _, command in ipairs(commands) do
      local head = command.id:match("^(%a+)%.") or command.id
      if not of[head] then
        of[head] = {}
        rows[#rows + 1] = { id = head, title = command.title }
      end
      table.insert(of[head], command)
    end
  end
  local function leads_on(row)
    return #(of[row.id] or {}) > 1
  end
  require("palimpsest.tell").choose("Palimpsest", rows, function(row)
    local words = row.id:gsub("%u", " %0"):lower():gsub("^%l", string.upper)
    return leads_on(row) and words .. " …" or row.title
  end, function(row)
    if leads_on(row) then
      choose(of[row.id], done)
    else
      done(of[row.id] and of[row.id][1] or row)
    end
  end)
end

function M.run(arguments)
  local tell = require("palimpsest.tell")
  local words = vim.deepcopy(arguments.fargs)
  local id = table.remove(words, 1)
  if id and RUNS[id] then
    return M.call(id, words, arguments)
  elseif id then
    return tell.error(("there is no command `%s`; `:Palimpsest` alone shows all of them."):format(id))
  end
  choose(M.all(), function(command)
    M.call(command.id, {}, arguments)
  end)
end

function M.complete(lead, line)
  local words = vim.split(line:gsub("^.-Palimpsest%s+", ""), "%s+")
  if #words > 1 and vim.startswith(words[1], "context.") then
    return vim.fn.getcompletion(lead, "file")
  end
  local ids = vim.tbl_map(function(command)
    return command.id
  end, M.all())
  return vim.tbl_filter(function(one)
    return vim.startswith(one, lead)
  end, #words == 1 and ids or WORDS[words[1]] or {})
end

return M
