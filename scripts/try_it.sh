#!/usr/bin/env bash
# How to open an editor on the sample workspace, for who has just seen `make demo`.
cat <<'END'

To try it in an editor, copy the same workspace: .venv/bin/palimpsest demo --copy ~/palimpsest-shop
  VS Code   make dist && code --install-extension dist/palimpsest-*.vsix
            PATH="$PWD/.venv/bin:$PATH" code ~/palimpsest-shop
  Neovim    make install-nvim
            PATH="$PWD/.venv/bin:$PATH" nvim ~/palimpsest-shop/shop/cart.py
In Cart.total, on a new line behind `total = self.subtotal()`, type `if self.disc`.  For other editors see docs/editors.md.
END
