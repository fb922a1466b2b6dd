---@brief
---
--- https://pypi.org/project/palimpsest-lsp
---
--- Inline completions, next edits and edits from a language model on your own machine.
---
--- `uv tool install palimpsest-lsp` or `pipx install palimpsest-lsp` installs it; `palimpsest engine get` and
--- `palimpsest model get default` fetch a llama.cpp for this machine and the default model.
---
--- Neovim 0.12 shows its completions where that is switched on:
---
--- ```lua
--- vim.lsp.inline_completion.enable(true)
--- vim.keymap.set('i', '<Tab>', function()
---   if not vim.lsp.inline_completion.get() then
---     return '<Tab>'
---   end
--- end, { expr = true })
--- ```
---
--- Palimpsest's own plugin, which configures the server `palimpsest` itself, needs none of this.

---@type vim.lsp.Config
return {
  cmd = { 'palimpsest', 'serve' },
  filetypes = {
    'bash',
    'c',
    'cpp',
    'cs',
    'css',
    'go',
    'html',
    'java',
    'javascript',
    'javascriptreact',
    'json',
    'jsonc',
    'kotlin',
    'lua',
    'markdown',
    'php',
    'python',
    'ruby',
    'rust',
    'sh',
    'sql',
    'swift',
    'toml',
    'typescript',
    'typescriptreact',
    'yaml',
    'zsh',
  },
  root_markers = { 'palimpsest.toml', 'pyproject.toml', '.git' },
}
