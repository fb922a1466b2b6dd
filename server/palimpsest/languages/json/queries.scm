; What palimpsest asks of a JSON tree; `languages/base.py` says what the sections and captures mean.

;; scopes
(pair key: (string (string_content) @name) value: (object "{" @body)) @namespace
(pair key: (string (string_content) @name) value: (array "[" @body)) @namespace

;; pieces
(pair) @piece
(array (object) @piece)
(array (array) @piece)

;; shape
(string) @string
(comment) @comment
(object) @bracket
(array) @bracket
(ERROR) @error

;; comments
(comment) @comment

;; verbatim
(string) @verbatim
