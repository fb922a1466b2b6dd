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

vim.api.nvim_create_autocmd({ "FileType", "VimEnter" }, {
  group = group,
  desc = "Start Palimpsest with the first file",
  callback = function(event)
    local is_file = vim.bo[event.buf].buftype == "" and vim.api.nvim_buf_get_name(event.buf) ~= ""
    if vim.v.vim_did_enter == 0 or not is_file or (vim.g.palimpsest or {}).enabled == false then
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
    require("palimpsest.scratch").read(event.buf, event.match)
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

-- `<Plug>(palimpsest-accept-word)` calls `require("palimpsest").accept_word()`, by modes and names.
for _, row in ipairs({
  { "i", "accept", "accept-word", "accept-line", "next", "previous", "dismiss", "show", "jump" },
  { "in", "complete", "next-edit", "dismiss-edit" },
  { "nx", "edit", "edit-instruction", "edit-alternatives" },
  { "n", "context", "cache", "status" },
}) do
  for index = 2, #row do
    local call = row[index]:gsub("instruction", "with-instruction"):gsub("-", "_")
    vim.keymap.set(vim.split(row[1], ""), ("<Plug>(palimpsest-%s)"):format(row[index]), function()
      require("palimpsest")[call]()
    end, { desc = "Palimpsest: " .. call:gsub("_", " ") })
  end
end
