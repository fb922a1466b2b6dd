; What palimpsest asks of a TOML tree; `languages/base.py` says what the sections and captures mean.

;; scopes
(table "[" . (_) @name "]" @body) @namespace
(table_array_element "[[" . (_) @name "]]" @body) @namespace

;; pieces
(table) @piece
(table_array_element) @piece
(pair) @piece

;; shape
(string) @string
(comment) @comment
(array) @bracket
(inline_table) @bracket
(ERROR) @error

;; comments
(comment) @comment

;; verbatim
(string) @verbatim
