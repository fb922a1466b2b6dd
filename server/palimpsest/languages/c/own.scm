; What palimpsest asks of a C tree alone.

;; more scopes
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
(struct_specifier name: (_) @name body: (_) @body) @class

;; more parameters
(function_definition declarator: (function_declarator parameters: (parameter_list (_) @parameter)))
(function_definition declarator: (_ declarator: (function_declarator parameters: (parameter_list (_) @parameter))))
(function_definition
  declarator: (_ declarator: (_ declarator: (function_declarator parameters: (parameter_list (_) @parameter)))))

;; more assignments
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
(type_definition type: [
  (type_identifier) (primitive_type) (sized_type_specifier)
  (struct_specifier !body) (union_specifier !body) (enum_specifier !body)] @type
  declarator: (_) @target)

;; more aliases
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

;; more binds
(function_declarator declarator: (identifier) @name)
(pointer_declarator declarator: (identifier) @name)
(array_declarator declarator: (identifier) @name)
(parameter_list (identifier) @name)
(pointer_declarator declarator: (type_identifier) @name)
(array_declarator declarator: (type_identifier) @name)

;; documented
((comment) @first . (comment) @again . [(function_definition) (declaration) (type_definition) (struct_specifier)]
  (#match? @first "^/[*][*!]")
  (#match? @again "^/[*][*!]"))

;; more roles
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
(type_definition declarator: (_ declarator: (type_identifier) @class))
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

;; calls
(call_expression function: (identifier) @function arguments: (argument_list) @arguments) @call
(call_expression
  function: (field_expression field: (field_identifier) @function) arguments: (argument_list) @arguments) @call

;; signatures
(function_declarator declarator: (identifier) @name parameters: (parameter_list) @parameters) @function

;; more shape
[
  (argument_list) (parameter_list) (parenthesized_expression) (initializer_list) (subscript_expression) (preproc_params)
] @bracket
[
  (function_definition) (struct_specifier) (union_specifier) (enum_specifier) (type_definition) (preproc_function_def)
] @definition
