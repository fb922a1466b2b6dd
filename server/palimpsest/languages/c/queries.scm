; What palimpsest asks of a C tree; `languages/base.py` says what the sections and captures mean.

;; scopes
(function_definition declarator: (function_declarator declarator: (identifier) @name) body: (_) @body) @function
(function_definition
  declarator: (_ declarator: (function_declarator declarator: (identifier) @name)) body: (_) @body) @function
(function_definition
  declarator: (_ declarator: (_ declarator: (function_declarator declarator: (identifier) @name)))
  body: (_) @body) @function
(function_definition
  declarator: (function_declarator declarator: (parenthesized_declarator (identifier) @name))
  body: (_) @body) @function
(function_definition
  declarator: [
    (function_declarator declarator: (parenthesized_declarator
      (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))))
    (_ declarator: (function_declarator declarator: (parenthesized_declarator
      (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))))]
  body: (_) @body) @function
(declaration declarator: (function_declarator declarator: (identifier) @name)) @function
(declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @function
(declaration
  declarator: (pointer_declarator
    declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))) @function
(preproc_function_def name: (_) @name value: (_) @body) @function
(struct_specifier name: (_) @name body: (_) @body) @class
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
(preproc_include path: (_) @module) @import

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

;; attributes
(field_expression argument: (identifier) @head field: (field_identifier) @attr)

;; parameters
(function_definition declarator: (function_declarator parameters: (parameter_list (_) @parameter)))
(function_definition declarator: (_ declarator: (function_declarator parameters: (parameter_list (_) @parameter))))
(function_definition
  declarator: (_ declarator: (_ declarator: (function_declarator parameters: (parameter_list (_) @parameter)))))
(preproc_function_def parameters: (preproc_params (identifier) @parameter))

;; assignments
(declaration type: (_) @type declarator: (identifier) @target)
(declaration type: (_) @type declarator: (array_declarator) @target)
(declaration type: (_) @type declarator: (pointer_declarator [(identifier) (array_declarator)]) @target)
(declaration
  type: (_) @type declarator: (pointer_declarator (pointer_declarator [(identifier) (array_declarator)])) @target)
(declaration type: (_) @type declarator: (init_declarator declarator: (_) @target))
(declaration type: (_) @type declarator: (function_declarator declarator: (parenthesized_declarator)) @target)
(field_declaration type: [
  (type_identifier) (primitive_type) (sized_type_specifier) (macro_type_specifier)
  (struct_specifier !body) (union_specifier !body) (enum_specifier !body)] @type
  declarator: (_) @target)
(field_declaration type: [
  (struct_specifier name: (_) @type body: (_))
  (union_specifier name: (_) @type body: (_))
  (enum_specifier name: (_) @type body: (_))]
  declarator: (_) @target)
(enumerator name: (_) @target value: (_)? @value)
(preproc_def name: (_) @target value: (_)) @written
(type_definition type: [
  (type_identifier) (primitive_type) (sized_type_specifier)
  (struct_specifier !body) (union_specifier !body) (enum_specifier !body)] @type
  declarator: (_) @target)

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
(type_definition
  type: [(struct_specifier name: (_) @class) (union_specifier name: (_) @class) (enum_specifier name: (_) @class)]
  declarator: (pointer_declarator declarator: (type_identifier) @alias))
(type_definition
  type: [
    (struct_specifier name: (_) @class !body)
    (union_specifier name: (_) @class !body)
    (enum_specifier name: (_) @class !body)
    (type_identifier) @class]
  declarator: (type_identifier) @alias)

;; binds
(function_declarator declarator: (identifier) @name)
(parenthesized_declarator (identifier) @name)
(parameter_declaration declarator: (identifier) @name)
(declaration declarator: (identifier) @name)
(init_declarator declarator: (identifier) @name)
(pointer_declarator declarator: (identifier) @name)
(array_declarator declarator: (identifier) @name)
(parameter_list (identifier) @name)
(enumerator name: (identifier) @name)
(preproc_def name: (identifier) @name)
(preproc_function_def name: (identifier) @name)
(struct_specifier name: (type_identifier) @name)
(union_specifier name: (type_identifier) @name)
(enum_specifier name: (type_identifier) @name)
(type_definition declarator: (type_identifier) @name)
(pointer_declarator declarator: (type_identifier) @name)
(array_declarator declarator: (type_identifier) @name)

;; verbatim
(string_literal) @verbatim
(char_literal) @verbatim
(preproc_arg) @verbatim

;; comments
(comment) @comment

;; documented
((comment) @first . (comment) @again . [(function_definition) (declaration) (type_definition) (struct_specifier)]
  (#match? @first "^/[*][*!]")
  (#match? @again "^/[*][*!]"))

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
(function_declarator declarator: (identifier) @function)
(function_declarator declarator: (parenthesized_declarator (identifier) @function))
(declaration declarator: [
  (function_declarator declarator: (identifier) @function.declares)
  (_ declarator: (function_declarator declarator: (identifier) @function.declares))
  (_ declarator: (_ declarator: (function_declarator declarator: (identifier) @function.declares)))])
(function_definition
  (storage_class_specifier) @_static
  declarator: [
    (function_declarator declarator: (identifier) @function.private)
    (_ declarator: (function_declarator declarator: (identifier) @function.private))
    (_ declarator: (_ declarator: (function_declarator declarator: (identifier) @function.private)))]
  (#eq? @_static "static"))
(declaration
  (storage_class_specifier) @_extern
  declarator: [(identifier) @assigned.declares (_ declarator: (identifier) @assigned.declares)]
  (#eq? @_extern "extern"))
(declaration
  (storage_class_specifier) @_static
  declarator: [
    (identifier) @assigned.private
    (_ declarator: (identifier) @assigned.private)
    (_ declarator: (_ declarator: (identifier) @assigned.private))]
  (#eq? @_static "static"))
(preproc_function_def name: (identifier) @function)
(struct_specifier name: (type_identifier) @class body: (_))
(union_specifier name: (type_identifier) @class body: (_))
(enum_specifier name: (type_identifier) @class body: (_))
(type_definition declarator: (type_identifier) @class)
(type_definition declarator: (_ declarator: (type_identifier) @class))
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
(function_definition
  declarator: [
    (function_declarator parameters: (parameter_list (parameter_declaration declarator: [
      (identifier) @parameter
      (_ declarator: (identifier) @parameter)
      (_ declarator: (_ declarator: (identifier) @parameter))
      (function_declarator
        declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @parameter)))])))
    (_ declarator: (function_declarator parameters: (parameter_list (parameter_declaration declarator: [
      (identifier) @parameter
      (_ declarator: (identifier) @parameter)
      (_ declarator: (_ declarator: (identifier) @parameter))
      (function_declarator
        declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @parameter)))]))))]
  body: (_) @owner)
(field_expression field: (field_identifier) @member)
(assignment_expression left: (field_expression field: (field_identifier) @member.assigned))
(field_designator (field_identifier) @member)

;; calls
(call_expression function: (identifier) @function arguments: (argument_list) @arguments) @call
(call_expression
  function: (field_expression field: (field_identifier) @function) arguments: (argument_list) @arguments) @call

;; signatures
(function_declarator declarator: (identifier) @name parameters: (parameter_list) @parameters) @function

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
[
  (argument_list) (parameter_list) (parenthesized_expression) (initializer_list) (subscript_expression) (preproc_params)
] @bracket
(ERROR) @error
[
  (function_definition) (struct_specifier) (union_specifier) (enum_specifier) (type_definition) (preproc_function_def)
] @definition
