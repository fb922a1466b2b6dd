; What palimpsest asks of a Bash tree; `base.py` says what the sections and captures mean.

;; scopes
(function_definition name: (_) @name body: (_) @body) @function

;; imports
(command
  name: (command_name (word) @_source)
  . argument: [(word) (string) (raw_string) (concatenation)] @module
  (#any-of? @_source "source" ".")) @import

;; names
(variable_name) @name
(command_name (word) @name)
(function_definition name: (word) @unused)

;; assignments
(variable_assignment name: (variable_name) @target value: (_) @value) @assignment
(variable_assignment name: (variable_name) @target !value) @assignment
(declaration_command (variable_name) @target) @assignment
(for_statement variable: (variable_name) @target) @assignment
(command
  name: (command_name (word) @_reads)
  argument: (word) @target
  (#any-of? @_reads "read" "mapfile" "readarray")
  (#match? @target "^[A-Za-z_][A-Za-z_0-9]*$")) @assignment

;; binds
(function_definition name: (word) @name)
(variable_assignment name: (variable_name) @name)
(variable_assignment name: (subscript name: (variable_name) @name))
(declaration_command (variable_name) @name)
(for_statement variable: (variable_name) @name)
(command
  name: (command_name (word) @_reads)
  argument: (word) @name
  (#any-of? @_reads "read" "mapfile" "readarray" "getopts" "printf" "let" "export" "unset" "declare" "local"))

;; verbatim
(string) @verbatim
(raw_string) @verbatim
(ansi_c_string) @verbatim
(heredoc_body) @verbatim

;; comments
(comment) @comment

;; roles
(program) @scope.file
(function_definition body: (_) @scope.function)
; What a word means depends on the command that gets it: a command, a variable, or nothing but itself.
(word) @module
(function_definition name: (word) @function.command)
(command_name (word) @use.command)
(command
  name: (command_name (word) @_name) argument: (word) @use.command
  (#any-of? @_name "command" "hash" "trap" "type"))
(declaration_command (word) @_option (variable_name) @use.command (#match? @_option "^-[a-zA-Z]*[fF]"))
(unset_command (word) @_option (variable_name) @use.command (#match? @_option "^-f"))
(command
  name: (command_name (word) @_name) argument: (word) @use.variable
  (#any-of? @_name "mapfile" "read" "readarray"))
(command
  name: (command_name (word) @_name) argument: (word) @_option . argument: (word) @use.variable
  (#eq? @_name "printf") (#eq? @_option "-v"))
(unary_expression operator: (test_operator) @_test (word) @use.variable (#eq? @_test "-v"))
(program [
  (command
    name: (command_name (word) @_name) argument: (word) @assigned.variable)
  (while_statement condition: (command
    name: (command_name (word) @_name) argument: (word) @assigned.variable))
  (_ (while_statement condition: (command
    name: (command_name (word) @_name) argument: (word) @assigned.variable)))]
  (#any-of? @_name "mapfile" "read" "readarray"))
(c_style_for_statement (_ (word) @use.variable))
(program (c_style_for_statement (variable_assignment name: (variable_name) @assigned)))
(declaration_command ["local" "declare" "typeset"] (variable_assignment name: (variable_name) @assigned))
(declaration_command ["local" "declare" "typeset"] (variable_name) @assigned)
; A variable is the script's unless a function declares it, wherever it gets a value.
(program (variable_assignment name: (variable_name) @assigned))
(program (declaration_command (variable_assignment name: (variable_name) @assigned)))
(program (declaration_command (variable_name) @assigned))
(program (variable_assignments (variable_assignment name: (variable_name) @assigned)))
(program (list (variable_assignment name: (variable_name) @assigned)))
(program (if_statement (variable_assignment name: (variable_name) @assigned)))
(program (for_statement variable: (variable_name) @assigned))

;; shape
(compound_statement) @block
(string) @string
(raw_string) @string
(heredoc_body) @string
(string . _ @quote)
(comment) @comment
[
  (array) (subshell) (command_substitution) (process_substitution) (test_command) (expansion) (arithmetic_expansion)
] @bracket
(ERROR) @error
(function_definition) @definition

;; variants
(if_statement [(elif_clause) (else_clause)] @branch)
(case_statement (case_item) @branch)
