; What palimpsest asks of a C tree, and of a C++ tree as far as they agree (`own.scm` has the rest);
; `languages/base.py` says what the sections and captures mean.

;; scopes
(preproc_function_def name: (_) @name value: (_) @body) @function
(union_specifier name: (_) @name body: (_) @body) @class
(enum_specifier name: (_) @name body: (_) @body) @class
(type_definition
  type: [
    (struct_specifier body: (_) @body)
    (union_specifier body: (_) @body)
    (enum_specifier body: (_) @body)] @class
  declarator: (type_identifier) @name) @outer
(field_declaration
  type: [
    (struct_specifier !name body: (_) @body)
    (union_specifier !name body: (_) @body)
    (enum_specifier !name body: (_) @body)] @class
  declarator: (field_identifier) @name) @outer

;; imports
(preproc_include path: [(string_literal) (system_lib_string)] @module) @import @all

;; names
(identifier) @name
(type_identifier) @name
(function_declarator declarator: (identifier) @unused)
(preproc_def name: (identifier) @unused)
(preproc_function_def name: (identifier) @unused)
(preproc_params (identifier) @unused)
(preproc_ifdef name: (identifier) @unused)
(enumerator name: (identifier) @unused)
(struct_specifier name: (type_identifier) @unused body: (_))
(union_specifier name: (type_identifier) @unused body: (_))
(enum_specifier name: (type_identifier) @unused body: (_))
(type_definition declarator: (type_identifier) @unused)

;; parameters
(preproc_function_def parameters: (preproc_params (identifier) @parameter))

;; assignments
(enumerator name: (_) @target value: (_)? @value)
(preproc_def name: (_) @target value: (_)) @written

;; enumerators
(enum_specifier name: (_) @class body: (enumerator_list (enumerator name: (identifier) @name)))
(type_definition
  type: (enum_specifier !name body: (enumerator_list (enumerator name: (identifier) @name)))
  declarator: (type_identifier) @class)

;; aliases
(type_definition
  type: [
    (struct_specifier name: (_) @alias body: (_))
    (union_specifier name: (_) @alias body: (_))
    (enum_specifier name: (_) @alias body: (_))]
  declarator: (type_identifier) @class)

;; binds
(parenthesized_declarator (identifier) @name)
(parameter_declaration declarator: (identifier) @name)
(declaration declarator: (identifier) @name)
(init_declarator declarator: (identifier) @name)
(enumerator name: (identifier) @name)
(preproc_def name: (identifier) @name)
(preproc_function_def name: (identifier) @name)
(struct_specifier name: (type_identifier) @name)
(union_specifier name: (type_identifier) @name)
(enum_specifier name: (type_identifier) @name)
(type_definition declarator: (type_identifier) @name)

;; verbatim
(string_literal) @verbatim
(char_literal) @verbatim
(preproc_arg) @verbatim

;; comments
(comment) @comment

;; roles
(translation_unit) @scope.file
(struct_specifier !name body: (_) @scope.class)
(struct_specifier name: (_) @scope.name body: (_) @scope.class)
(union_specifier !name body: (_) @scope.class)
(union_specifier name: (_) @scope.name body: (_) @scope.class)
(function_definition body: (_) @scope.function)
(function_declarator parameters: (parameter_list) @scope.inner)
(compound_statement) @scope.inner
(for_statement) @scope.inner
(preproc_function_def name: (identifier) @function)
(preproc_params (identifier) @keyword)
(struct_specifier name: (type_identifier) @class body: (_))
(union_specifier name: (type_identifier) @class body: (_))
(enum_specifier name: (type_identifier) @class body: (_))
(type_definition declarator: (type_identifier) @class)
(enumerator name: (identifier) @assigned)
(preproc_def name: (identifier) @assigned)
(declaration declarator: (identifier) @assigned)
(parameter_declaration declarator: (identifier) @assigned)
(init_declarator declarator: (identifier) @assigned)
(pointer_declarator declarator: (identifier) @assigned)
(array_declarator declarator: (identifier) @assigned)
(field_declaration declarator: (field_identifier) @assigned)
(pointer_declarator declarator: (field_identifier) @assigned)
(array_declarator declarator: (field_identifier) @assigned)
(field_expression field: (field_identifier) @member)
(assignment_expression left: (field_expression field: (field_identifier) @member.assigned))
(field_designator (field_identifier) @member)

;; variants
(preproc_if alternative: (_) @branch)
(preproc_ifdef alternative: (_) @branch)
(preproc_elif alternative: (_) @branch)
(preproc_elifdef alternative: (_) @branch)

;; pairs
(call_expression arguments: (argument_list) @elements) @pair
(binary_expression left: (_) @first right: (_) @second) @pair
(conditional_expression consequence: (_) @first alternative: (_) @second) @pair
(assignment_expression left: (_) @first right: (_) @second) @pair
(initializer_list) @pair @elements

;; shape
[
  (compound_statement) (field_declaration_list) (enumerator_list) (declaration_list)
] @block
(string_literal) @string
(char_literal) @string
(comment) @comment
(ERROR) @error
