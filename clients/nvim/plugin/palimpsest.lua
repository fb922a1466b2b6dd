-- Read by every Neovim at start, so it loads nothing: commands, `<Plug>` mappings, and one autocommand that waits for
-- the first buffer that wants help.

if vim.g.loaded_palimpsest then
  return
end
vim.g.loaded_palimpsest = true

if vim.fn.has("nvim-0.11") == 0 then
  vim.schedule(function()
    vim.notify("Palimpsest needs Neovim 0.11 or later.", vim.log.levels.WARN)
  end)
  return
end

local group = vim.api.nvim_create_augroup("palimpsest", { clear = true })

local function wants_help(buffer)
  return vim.api.nvim_buf_is_loaded(buffer)
    and vim.bo[buffer].buftype == ""
    and vim.api.nvim_buf_get_name(buffer) ~= ""
    and (vim.g.palimpsest or {}).enabled ~= false
end

vim.api.nvim_create_autocmd({ "FileType", "VimEnter" }, {
  group = group,
  desc = "Start Palimpsest with the first file",
  callback = function(event)
    if vim.v.vim_did_enter == 0 or not wants_help(event.buf) then
      return false
    end
    require("palimpsest.start").begin()
    return true
  end,
})

-- Links lead to `palimpsest:/ref/…`, which Neovim takes for a path in the current folder.
vim.api.nvim_create_autocmd("BufReadCmd", {
  group = group,
  pattern = { "palimpsest:/*", "*/palimpsest:/*" },
  desc = "Read a document of Palimpsest's server",
  callback = function(event)
    require("palimpsest.virtual").read(event.buf, event.match)
  end,
})

vim.api.nvim_create_user_command("Palimpsest", function(arguments)
  require("palimpsest.commands").run(arguments)
end, {
  nargs = "*",
  range = true,
  desc = "Palimpsest: a command by its name, or a menu of all",
  complete = function(...)
    return require("palimpsest.commands").complete(...)
  end,
})

local function plug(modes, name, call, description)
  vim.keymap.set(modes, ("<Plug>(palimpsest-%s)"):format(name), function()
    require("palimpsest")[call]()
  end, { desc = "Palimpsest: " .. description })
end

plug("i", "accept", "accept", "accept the completion")
plug("i", "accept-word", "accept_word", "accept a word of the completion")
plug("i", "accept-line", "accept_line", "accept a line of the completion")
plug("i", "next", "next", "show the next alternative")
plug("i", "previous", "previous", "show the previous alternative")
plug("i", "dismiss", "dismiss", "hide the completion")
plug("i", "show", "show", "show the completion that was prepared")
plug("i", "jump", "jump", "jump behind what closes")
plug({ "i", "n" }, "complete", "complete", "complete here")
plug({ "i", "n" }, "next-edit", "next_edit", "jump to the next edit, or accept it")
plug({ "i", "n" }, "dismiss-edit", "dismiss_edit", "dismiss the next edit")
plug({ "n", "x" }, "edit", "edit", "edit here")
plug({ "n", "x" }, "edit-instruction", "edit_with_instruction", "edit with an instruction")
plug({ "n", "x" }, "edit-alternatives", "edit_alternatives", "show edits side by side")
plug("n", "context", "context", "show context")
plug("n", "cache", "cache", "show cache map")
plug("n", "status", "status", "show status")
