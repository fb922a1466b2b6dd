; Of the language in `test_grammars.py`: one section that fits, one of another grammar, one that is no query.

;; scopes
(function_definition name: (_) @name body: (_) @body) @function

;; names
(no_such_node) @name

;; imports
(import_statement
