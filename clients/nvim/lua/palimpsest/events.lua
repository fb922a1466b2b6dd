--- Autocommands in a buffer with Palimpsest, which end with that; pauses; what a person is doing.
local M = {}

local api = vim.api

local function group_of(buffer, part)
  return ("palimpsest.%s.%d"):format(part or "buffer", buffer)
end

---@param calls { [1]: string|string[], [2]: fun(buffer: integer) }[]
---@param part? string one whose autocommands end before the others of the buffer
function M.listen(buffer, calls, part)
  local group = api.nvim_create_augroup(group_of(buffer, part), { clear = false })
  for _, one in ipairs(calls) do
    api.nvim_create_autocmd(one[1], {
      group = group,
      buffer = buffer,
      callback = function()
        one[2](buffer)
      end,
    })
  end
end

function M.close(buffer, part)
  pcall(api.nvim_del_augroup_by_name, group_of(buffer, part))
end

--- Calls `done` with what it was last given, once nothing was asked of it for some time.
---@return fun(delay_ms: integer, done: fun()) later, fun() stop
function M.pause()
  local timer = assert(vim.uv.new_timer())
  return function(delay_ms, done)
    timer:start(delay_ms, 0, vim.schedule_wrap(done))
  end, function()
    timer:stop()
  end
end

function M.inserting()
  return api.nvim_get_mode().mode:find("^i") ~= nil
end

local function says(name, call)
  local plugin = package.loaded[name]
  return type(plugin) == "table" and type(plugin[call]) == "function" and plugin[call]() == true
end

--- Whether there is a completion menu: Neovim's own, nvim-cmp's, blink.cmp's.
function M.menu_is_open()
  return vim.fn.pumvisible() == 1 or says("cmp", "visible") or says("blink.cmp", "is_visible")
end

--- Whether one of them draws grey text of its own at the cursor.
local function has_ghost()
  local config = package.loaded["cmp.config"]
  local by_cmp = type(config) == "table" and config.get().experimental.ghost_text and says("cmp", "visible")
  return by_cmp or says("blink.cmp", "is_ghost_text_visible")
end

--- Whether what we draw at the cursor would stand in or below what another plugin draws there.
---@param with_menu boolean it may stand beside a menu
function M.is_taken(with_menu)
  return has_ghost() or not with_menu and M.menu_is_open()
end

--- Whether the fields of a snippet are being filled in: Neovim's own, LuaSnip's.
function M.in_snippet()
  return vim.snippet.active() or says("luasnip", "in_snippet")
end

local heard, listeners = false, {} ---@type boolean, table<string, fun()>
local group = api.nvim_create_augroup("palimpsest.menus", {})

--- Calls `done` when one of these menus has opened, changed or closed, or the grey text of one has, whatever buffer it
--- is in.
---@param who string
---@param done fun()
function M.on_menu(who, done)
  listeners[who] = done
  local soon = vim.schedule_wrap(function() -- the menu itself is not there before
    for _, listener in pairs(listeners) do
      listener()
    end
  end)
  api.nvim_clear_autocmds({ group = group })
  api.nvim_create_autocmd({ "CompleteChanged", "CompleteDone" }, { group = group, callback = soon })
  local names = { "BlinkCmpMenuOpen", "BlinkCmpMenuClose", "BlinkCmpShow", "BlinkCmpHide" }
  api.nvim_create_autocmd("User", { group = group, pattern = names, callback = soon })
  api.nvim_create_autocmd("InsertEnter", {
    group = group,
    callback = function()
      local cmp = package.loaded.cmp
      if not heard and type(cmp) == "table" and cmp.event then
        heard = true
        cmp.event:on("menu_opened", soon)
        cmp.event:on("menu_closed", soon)
      end
    end,
  })
end

return M
