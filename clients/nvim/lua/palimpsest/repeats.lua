--- Inserts text so that what repeats the insert has it, too: `.` and a count, since it goes through Neovim's paste, and
--- a macro, in whose register it replaces the key that was typed for it.  Owner of what is typed while one is recorded.
local M = {}

local api = vim.api
local space = api.nvim_create_namespace("palimpsest.recorded")

---@class palimpsest.Recorded
---@field typed string[] each what led to something
---@field instead table<integer, string> what stands for some of them

local recorded ---@type palimpsest.Recorded?

--- As a key that inserts it wherever a macro is run.
local function as_key(text)
  local quoted = ("%q"):format(text):gsub("\\\n", "\\n"):gsub("[\128-\255]", function(byte)
    return ("\\%d"):format(byte:byte())
  end)
  return ("%slua vim.api.nvim_paste(%s, false, -1)\r"):format(vim.keycode("<Cmd>"), quoted)
end

--- At the cursor, which is behind it then.  Nothing is added to it and nothing left out, whatever `vim.paste` was made
--- to do with what a person pastes.
---@param text string
function M.insert(text)
  local paste = vim.paste
  vim.paste = function(lines) ---@diagnostic disable-line: duplicate-set-field
    api.nvim_put(lines, "c", false, true)
    return true
  end
  local ok, why = pcall(api.nvim_paste, text, false, -1)
  vim.paste = paste
  assert(ok, why)
  local at = recorded and #recorded.typed or 0
  if at > 0 then
    recorded.instead[at] = (recorded.instead[at] or "") .. as_key(text)
  end
end

--- Puts what was inserted into the register, once Neovim has put there what was typed.
---@param one palimpsest.Recorded
local function put(one, name, old)
  local typed, new = {}, {}
  for at = 1, #one.typed - 1 do -- the last ended it
    typed[at] = one.typed[at]
    new[at] = one.instead[at] or one.typed[at]
  end
  local all = vim.fn.getreg(name)
  if next(one.instead) and table.concat(typed) == old and vim.endswith(all, old) then
    vim.fn.setreg(name, all:sub(1, #all - #old) .. table.concat(new), "c")
  end
end

function M.listen()
  local group = api.nvim_create_augroup("palimpsest.repeats", {})
  api.nvim_create_autocmd("RecordingEnter", {
    group = group,
    callback = function()
      local one = { typed = {}, instead = {} }
      recorded = one
      vim.on_key(function(_, typed)
        if typed and typed ~= "" then
          table.insert(one.typed, typed)
        end
      end, space)
    end,
  })
  api.nvim_create_autocmd("RecordingLeave", {
    group = group,
    callback = function()
      local one, event = recorded, vim.v.event
      recorded = nil
      local function settle()
        vim.on_key(nil, space)
        if one then
          put(one, event.regname:lower(), event.regcontents) -- a capital would add to it
          one = nil
        end
      end
      vim.on_key(settle, space) -- it may be run with the next key
      vim.schedule(settle)
    end,
  })
end

return M
