--- What a person set: `vim.g.palimpsest`, then what `setup()` was given.  Owner of this client's settings; those of
--- the server are passed on by their names, and the server says which of them are wrong.
local M = {}

---@class palimpsest.Config
M.defaults = {
  --- Start with the first buffer that holds a file.
  enabled = true,
  --- `function(buffer)`: false for a buffer that Palimpsest shall leave alone.
  ---@type fun(buffer: integer): boolean?
  filter = nil,
  --- Files larger than this are left alone, in bytes.
  max_file_size = 1024 * 1024,
  --- What marks the folder that is opened as the workspace; where nothing does, it is the one in which Neovim is.
  root_markers = { "palimpsest.toml", "pyproject.toml", "package.json", "Cargo.toml", "go.mod", ".git", ".hg" },

  server = {
    --- The server's program: a name on PATH, a full path, or a list with arguments. Empty: it is looked for.
    ---@type string|string[]
    command = "",
    --- Run `.venv/bin/palimpsest` of a workspace that you trust (`:help :trust`).
    useWorkspaceEnvironment = false,
  },

  completion = {
    --- "automatic": while you type; "manual": only when you ask.
    trigger = "automatic",
    --- Milliseconds after a keystroke. 0: as Neovim does it (200 in Neovim 0.12), else 60.
    delay_ms = 0,
    --- "always": as soon as there is one; "key": prepared while you type, and shown by `keys.show`.
    show = "always",
  },

  inline = {
    --- Who shows completions: "native" (Neovim 0.12), "own", or "auto": native where it exists and no delay is set.
    backend = "auto",
    --- Show completions beside an open completion menu, too.
    with_menu = false,
  },

  nextEdit = {
    --- Show where the next edit would be as soon as there is one.
    automatic = true,
  },

  next_edits = {
    --- Milliseconds without a keystroke after which it is looked for.
    delay = 300,
    --- The same while in Insert mode. 0: never there.
    insert_delay = 800,
  },

  edits = {
    --- Show a diff before an edit is applied: "always", "others" (where it touches other files), "never".
    preview = "always",
    --- Replies for edits side by side.
    alternatives = 3,
  },

  notices = {
    --- Milliseconds of rest after which the server is told where the cursor is. 0: never.
    delay = 250,
    --- Tell it of yanks and of the editor getting the focus.
    yank = true,
    focus = true,
    --- Tell it of errors and warnings of other servers and linters.
    diagnostics = true,
  },

  --- Keys in buffers with Palimpsest; false for none. "<Tab>": the next edit, else the completion, else, right
  --- behind one that was accepted, the place behind what closes, else what it was.
  ---@type table<string, string|false>|false
  keys = {
    tab = "<Tab>",
    accept_word = "<M-Right>",
    accept_line = "<M-End>",
    next = "<M-]>",
    previous = "<M-[>",
    complete = "<M-\\>",
    show = "<M-Space>",
    dismiss = "<C-]>",
    dismiss_edit = "<M-BS>",
  },

  --- Keys in a conversation's buffer, in Normal mode; false for none.
  ---@type table<string, string|false>|false
  chat_keys = {
    send = "<LocalLeader>s",
    stop = "<LocalLeader>x",
    fork = "<LocalLeader>f",
    compact = "<LocalLeader>c",
    refs = "<LocalLeader>r",
    descriptors = "<LocalLeader>d",
    documents = "<LocalLeader>o",
    write = "<LocalLeader>w",
  },

  --- Say once at start that another completion provider is here, too.
  other_providers = true,
}

--- Sections with the server's own names.
local SERVER = {
  "engine",
  "model",
  "context",
  "completion",
  "suggestion",
  "next_edit",
  "statistics",
  "log",
  "conversation",
  "file_descriptor",
  "documents",
}

local set_up = {} ---@type table
local merged ---@type palimpsest.Config?

--- `{["completion.n"] = 2}` as `{completion = {n = 2}}`.
---@param flat table
---@return table
local function nested(flat)
  local found = {}
  for name, value in pairs(flat) do
    local section, rest = tostring(name):match("^([%w_]+)%.([%w_]+)$")
    local one = section and { [section] = { [rest] = value } } or { [name] = value }
    found = vim.tbl_deep_extend("force", found, one)
  end
  return found
end

---@param own table
local function check(own)
  for name, value in pairs(own) do
    local default = M.defaults[name]
    local known = default ~= nil or name == "filter" or vim.list_contains(SERVER, name)
    if not known then
      require("palimpsest.tell").warn(
        ("There is no setting `%s`; `:help palimpsest-settings` lists them."):format(name)
      )
    elseif type(default) == "table" and type(value) == "table" and not vim.list_contains(SERVER, name) then
      for inner in pairs(value) do
        if default[inner] == nil and not vim.islist(default) then
          require("palimpsest.tell").warn(("There is no setting `%s.%s`."):format(name, inner))
        end
      end
    end
  end
end

---@return palimpsest.Config
function M.get()
  if not merged then
    local own = vim.tbl_deep_extend("force", nested(vim.g.palimpsest or {}), set_up)
    check(own)
    merged = vim.tbl_deep_extend("force", M.defaults, own)
  end
  return merged
end

---@param options? table
function M.set(options)
  set_up = vim.tbl_deep_extend("force", set_up, nested(options or {}))
  merged = nil
end

--- The server's part, as it answers `workspace/configuration`.
---@return table
function M.for_server()
  local all, found = M.get(), vim.empty_dict()
  for _, section in ipairs(SERVER) do
    local ours, own = M.defaults[section] or {}, vim.empty_dict()
    for name, value in pairs(all[section] or {}) do
      own[name] = ours[name] == nil and value or nil
    end
    found[section] = next(own) and own or nil
  end
  return found
end

return M
