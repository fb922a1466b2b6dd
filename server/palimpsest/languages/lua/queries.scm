; What palimpsest asks of a Lua tree; `base.py` says what the sections and captures mean.

;; scopes
; An empty body has no node: the word that ends the function stands for it.
(function_declaration name: (identifier) @name body: (_) @body) @function
(function_declaration name: (identifier) @name !body "end" @body) @function
(function_declaration name: (dot_index_expression table: (_) @owner field: (_) @name) body: (_) @body) @function
(function_declaration name: (dot_index_expression table: (_) @owner field: (_) @name) !body "end" @body) @function
(function_declaration name: (method_index_expression table: (_) @owner method: (_) @name) body: (_) @body) @function
(function_declaration name: (method_index_expression table: (_) @owner method: (_) @name) !body "end" @body) @function

(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition body: (_) @body) .))) @function
(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition !body "end" @body) .))) @function
(chunk (assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition body: (_) @body) .)) @function)
(chunk (assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition !body "end" @body) .)) @function)
(assignment_statement
  (variable_list . name: (dot_index_expression table: (_) @owner field: (_) @name) .)
  (expression_list . value: (function_definition body: (_) @body) .)) @function
(assignment_statement
  (variable_list . name: (dot_index_expression table: (_) @owner field: (_) @name) .)
  (expression_list . value: (function_definition !body "end" @body) .)) @function
(field name: (identifier) @name value: (function_definition body: (_) @body)) @function
(field name: (identifier) @name value: (function_definition !body "end" @body)) @function

(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (table_constructor (field value: (function_definition))) @body .))) @class
; Any other table is a class if functions are put on it.
(chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @name .))) @class @holder)
(chunk (assignment_statement (variable_list . name: (identifier) @name .)) @class @holder)

;; imports
(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @alias .)
  (expression_list . value: (function_call
    name: (identifier) @_require
    arguments: (arguments (string content: (string_content) @module))) .))
  (#eq? @_require "require")) @import
(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @alias .)
  (expression_list . value: (dot_index_expression
    table: (function_call
      name: (identifier) @_require
      arguments: (arguments (string content: (string_content) @module)))
    field: (identifier) @name) .))
  (#eq? @_require "require")) @import

;; names
(identifier) @name
(dot_index_expression field: (identifier) @unused)
(method_index_expression method: (identifier) @unused)
(function_declaration name: (identifier) @unused)
(field name: (identifier) @unused)
(attribute (identifier) @unused)
(label_statement (identifier) @unused)
(goto_statement (identifier) @unused)

;; parameters
(function_declaration parameters: (parameters (_) @parameter))
(function_definition parameters: (parameters (_) @parameter))

;; assignments
(assignment_statement
  (variable_list . name: (_) @target .)
  (expression_list . value: (_) @value .)) @assignment
(assignment_statement (variable_list name: (_) name: (_)) @target) @assignment
(variable_declaration (variable_list) @target) @assignment
(for_generic_clause (variable_list) @target) @assignment
(for_numeric_clause name: (identifier) @target) @assignment
(field name: (identifier) @target value: (_) @value) @assignment

;; bases
(field name: (identifier) @_index value: (identifier) @base (#eq? @_index "__index"))
(assignment_statement (expression_list . value: (function_call
  name: (method_index_expression table: (identifier) @base)) .))
(assignment_statement (expression_list . value: (function_call arguments: (arguments (identifier) @base)) .))

;; binds
(function_declaration name: (identifier) @name)
(parameters name: (identifier) @name)
(variable_list name: (identifier) @name)
(for_numeric_clause name: (identifier) @name)

;; verbatim
(string) @verbatim

;; comments
(comment) @comment

;; roles
(chunk) @scope.file
(function_declaration body: (_) @scope.function)
(function_definition body: (_) @scope.function)
(for_statement) @scope.inner
(while_statement body: (_) @scope.inner)
(repeat_statement) @scope.inner
(if_statement consequence: (_) @scope.inner)
(elseif_statement consequence: (_) @scope.inner)
(else_statement body: (_) @scope.inner)
(do_statement body: (_) @scope.inner)
; What a loop runs through is evaluated around it.
(for_statement clause: (for_generic_clause (expression_list) @outside))
(for_statement clause: (for_numeric_clause start: (_) @outside))
(for_statement clause: (for_numeric_clause end: (_) @outside))
(for_statement clause: (for_numeric_clause step: (_) @outside))
(function_declaration name: (identifier) @function.around)
(function_declaration "local" name: (identifier) @function.enclosed)
(function_declaration name: (dot_index_expression field: (identifier) @member.assigned))
(function_declaration name: (method_index_expression method: (identifier) @member.assigned))
(field name: (identifier) @function value: (function_definition))
(function_declaration parameters: (parameters name: (identifier) @parameter) body: (_) @owner)
(function_definition parameters: (parameters name: (identifier) @parameter) body: (_) @owner)
(variable_declaration (variable_list name: (identifier) @assigned))
(variable_declaration (assignment_statement (variable_list name: (identifier) @assigned)))
(chunk (assignment_statement (variable_list name: (identifier) @assigned)))
(assignment_statement (variable_list name: (dot_index_expression field: (identifier) @member.assigned)))
(for_generic_clause (variable_list name: (identifier) @assigned))
(for_numeric_clause name: (identifier) @assigned)
(dot_index_expression field: (identifier) @member)
(method_index_expression method: (identifier) @member)
(field name: (identifier) @keyword)
(label_statement (identifier) @keyword)
(goto_statement (identifier) @keyword)
(attribute (identifier) @keyword)

;; variants
(if_statement alternative: (_) @branch)

;; calls
(function_call name: (identifier) @function arguments: (arguments . "(") @arguments) @call
(function_call
  name: (dot_index_expression field: (identifier) @function)
  arguments: (arguments . "(") @arguments) @call
(function_call
  name: (method_index_expression method: (identifier) @function)
  arguments: (arguments . "(") @arguments) @call

;; signatures
(function_declaration name: (identifier) @name parameters: (parameters) @parameters) @function
(function_declaration
  name: (dot_index_expression field: (identifier) @name)
  parameters: (parameters) @parameters) @function
(function_declaration
  name: (method_index_expression method: (identifier) @name)
  parameters: (parameters) @parameters) @function
(assignment_statement
  (variable_list . name: [
    (identifier) @name
    (dot_index_expression field: (identifier) @name)] .)
  (expression_list . value: (function_definition parameters: (parameters) @parameters) .)) @function
(field name: (identifier) @name value: (function_definition parameters: (parameters) @parameters)) @function

;; pairs
(function_call arguments: (arguments . "(") @elements) @pair
(binary_expression left: (_) @first right: (_) @second) @pair
(variable_list) @pair @elements
(expression_list) @pair @elements
(table_constructor) @pair @elements

;; shape
(block) @block
; What has no body yet ends with the word or the bracket before it.
(function_declaration !body parameters: (parameters ")" @block))
(function_definition !body parameters: (parameters ")" @block))
(if_statement !consequence "then" @block)
(elseif_statement !consequence "then" @block)
(else_statement !body "else" @block)
(for_statement !body "do" @block)
(while_statement !body "do" @block)
(do_statement !body "do" @block)
(repeat_statement !body "repeat" @block)
(ERROR ["then" "do" "else" "repeat"] @block)
(ERROR (parameters ")" @block))
(string) @string
(string start: _ @quote)
(comment) @comment
[(arguments) (parameters) (parenthesized_expression) (table_constructor) (bracket_index_expression)] @bracket
(ERROR) @error
(function_declaration) @definition
(variable_declaration (assignment_statement (expression_list (function_definition)))) @definition
(assignment_statement (expression_list (function_definition))) @definition
