; What palimpsest asks of an SQL tree; `languages/base.py` says what the sections and captures mean.

;; scopes
(create_table (object_reference) @name (column_definitions) @body) @namespace
(create_view (object_reference) @name (create_query) @body) @namespace
(create_function (object_reference) @name (function_body) @body) @namespace

;; pieces
(statement) @piece
(block) @piece
(column_definition) @piece
(select) @piece
(from) @piece
(cte) @piece

;; shape
(literal) @string
(comment) @comment
(marginalia) @comment
(column_definitions) @bracket
(list) @bracket
(subquery) @bracket
(ERROR) @error

;; comments
(comment) @comment
(marginalia) @comment

;; verbatim
(literal) @verbatim
