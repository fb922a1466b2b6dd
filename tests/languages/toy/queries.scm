; What `languages/base.py` says of sections and captures.

;; scopes
(function_declaration name: (_) @name body: (_) @body) @function
(method_definition name: (_) @name body: (_) @body) @function
(class_declaration name: (_) @name body: (_) @body) @class

;; imports
(import_statement (import_clause (identifier) @alias) source: (string (string_fragment) @module)) @import
(import_statement
  (import_clause (named_imports (import_specifier name: (_) @name alias: (_)? @alias)))
  source: (string (string_fragment) @module)) @import

;; names
(identifier) @name
(import_specifier (identifier) @unused)
(import_clause (identifier) @unused)
(function_declaration name: (identifier) @unused)
(class_declaration name: (identifier) @unused)

;; parameters
(function_declaration parameters: (formal_parameters (_) @parameter))
(method_definition parameters: (formal_parameters (_) @parameter))

;; assignments
(variable_declarator name: (_) @target value: (_)? @value) @assignment
(assignment_expression left: (_) @target right: (_) @value) @assignment
(field_definition property: (_) @target value: (_)? @value) @assignment

;; bases
(class_declaration (class_heritage (identifier) @base))

;; binds
(function_declaration name: (identifier) @name)
(class_declaration name: (identifier) @name)
(formal_parameters (_) @target)
(variable_declarator name: (_) @target)
(import_specifier name: (identifier) @name !alias)
(import_specifier alias: (identifier) @name)
(import_clause (identifier) @name)

;; comments
(comment) @comment

;; roles
(program) @scope.file
(function_declaration body: (_) @scope.function)
(method_definition body: (_) @scope.function)
(class_declaration name: (_) @scope.name body: (_) @scope.class)
(function_declaration name: (identifier) @function)
(class_declaration name: (identifier) @class)
(method_definition name: (property_identifier) @function)
(function_declaration parameters: (formal_parameters (identifier) @parameter) body: (_) @owner)
(method_definition parameters: (formal_parameters (identifier) @parameter) body: (_) @owner)
(variable_declarator name: (identifier) @assigned)
(member_expression property: (property_identifier) @member)
(import_specifier name: (identifier) @import !alias)
(import_specifier alias: (identifier) @import)

;; calls
(call_expression function: (identifier) @function arguments: (arguments) @arguments) @call
(call_expression
  function: (member_expression property: (property_identifier) @function)
  arguments: (arguments) @arguments) @call

;; signatures
(function_declaration "async"? @async name: (identifier) @name parameters: (formal_parameters) @parameters) @function

;; shape
(statement_block) @block
(string) @string
(comment) @comment
[(arguments) (formal_parameters) (parenthesized_expression) (array) (object)] @bracket
(ERROR) @error
(function_declaration) @definition
(class_declaration) @definition
(method_definition) @definition
