--- What a person set: `vim.g.palimpsest`, then what `setup()` was given.  Owner of this client's settings, which
--- `:help palimpsest-plugin-settings` explains; those of the server are passed on by their names, and the server says
--- which of them are wrong.
local M = {}

---@class palimpsest.Config
---@field filter? fun(buffer: integer): boolean? false for a buffer that is to be left alone
M.defaults = {
  enabled = true,
  max_file_size = 1024 * 1024,
  root_markers = { "palimpsest.toml", "pyproject.toml", "package.json", "Cargo.toml", "go.mod", ".git", ".hg" },
  server = {
    command = "", ---@type string|string[]
    useWorkspaceEnvironment = false,
  },
  completion = {
    trigger = "automatic", ---@type "automatic"|"manual"
    delay_ms = 0,
    show = "always", ---@type "always"|"key"
  },
  inline = {
    backend = "own", ---@type "own"|"native"
    with_menu = false,
  },
  nextEdit = { automatic = true },
  next_edits = { delay = 300, insert_delay = 800 },
  edits = {
    preview = "always", ---@type "always"|"others"|"never"
    alternatives = 3,
  },
  notices = { delay = 250, yank = true, focus = true, diagnostics = true },
  keys = { ---@type table<string, string|false>|false
    tab = "<Tab>",
    accept_word = "<M-Right>",
    accept_line = "<M-End>",
    next = "<M-]>",
    previous = "<M-[>",
    complete = "<M-\\>",
    show = "<M-Space>",
    dismiss = "<C-]>",
    dismiss_edit = "<M-BS>",
    escape = "<Esc>", -- in Normal mode alone
  },
  chat_keys = { ---@type table<string, string|false>|false
    send = "<LocalLeader>s",
    stop = "<LocalLeader>x",
    fork = "<LocalLeader>f",
    compact = "<LocalLeader>c",
    refs = "<LocalLeader>r",
    descriptors = "<LocalLeader>d",
    documents = "<LocalLeader>o",
    write = "<LocalLeader>w",
  },
  other_providers = true,
}

local sections ---@type table<string, true>?

--- The sections that the server has settings in.
local function of_server()
  if not sections then
    sections = {}
    for _, setting in ipairs(require("palimpsest.generated").settings) do
      sections[setting.name:match("^[^.]+")] = true
    end
  end
  return sections
end

local set_up = {} ---@type table
local merged ---@type palimpsest.Config?

--- `{["completion.n"] = 2}` as `{completion = {n = 2}}`.
local function nested(flat)
  local found = {}
  for name, value in pairs(flat) do
    local section, rest = tostring(name):match("^([%w_]+)%.([%w_]+)$")
    local one = section and { [section] = { [rest] = value } } or { [name] = value }
    found = vim.tbl_deep_extend("force", found, one)
  end
  return found
end

local function check(own)
  local say = require("palimpsest.tell").once
  for name, value in pairs(own) do
    local default, is_server = M.defaults[name], of_server()[name] and name ~= "server"
    if default == nil and name ~= "filter" and not is_server then
      say(("There is no setting `%s`; `:help palimpsest-settings` lists them."):format(name))
    elseif type(default) == "table" and type(value) == "table" and not is_server and not vim.islist(default) then
      for inner in pairs(value) do
        if default[inner] == nil then
          say(("There is no setting `%s.%s`."):format(name, inner))
        end
      end
    end
  end
end

function M.get()
  if not merged then
    local own = vim.tbl_deep_extend("force", nested(vim.g.palimpsest or {}), set_up)
    check(own)
    merged = vim.tbl_deep_extend("force", M.defaults, own)
  end
  return merged
end

function M.set(options)
  set_up = vim.tbl_deep_extend("force", set_up, nested(options or {}))
  merged = nil
end

--- The server's part, as it answers `workspace/configuration`.  What is ours of it, the server leaves to us.
function M.for_server()
  local found = {}
  for section in pairs(of_server()) do
    local own = M.get()[section]
    found[section] = own and next(own) and own or nil
  end
  return found
end

return M
