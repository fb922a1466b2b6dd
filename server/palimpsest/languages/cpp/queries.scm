; What palimpsest asks of a C++ tree beside what it asks of a C tree.

;; more scopes
(namespace_definition name: (_) @name body: (_) @body) @namespace
(class_specifier
  name: [
    (type_identifier) @name
    (template_type name: (_) @name)
    (qualified_identifier
      scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
      name: [(type_identifier) @name (template_type name: (_) @name)])]
  body: (_) @body) @class
(struct_specifier
  name: [
    (type_identifier) @name
    (template_type name: (_) @name)
    (qualified_identifier
      scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
      name: [(type_identifier) @name (template_type name: (_) @name)])]
  body: (_) @body) @class
(template_declaration (class_specifier
  name: [
    (type_identifier) @name
    (template_type name: (_) @name)
    (qualified_identifier
      scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
      name: [(type_identifier) @name (template_type name: (_) @name)])]
  body: (_) @body) @class) @outer
(template_declaration (struct_specifier
  name: [
    (type_identifier) @name
    (template_type name: (_) @name)
    (qualified_identifier
      scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
      name: [(type_identifier) @name (template_type name: (_) @name)])]
  body: (_) @body) @class) @outer
; A function's own declarator may be behind pointers and references; its name may have the name of its class before it.
(function_definition
  declarator: [
    (function_declarator declarator: [(identifier) (field_identifier) (destructor_name) (operator_name)] @name)
    (_ (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name))
    (_ (_ (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name)))
    (operator_cast) @name]
  body: (_)? @body) @function
(function_definition
  declarator: [
    (function_declarator declarator: (qualified_identifier
      scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
      name: [(identifier) (destructor_name) (operator_name) (template_function)] @name))
    (function_declarator declarator: (qualified_identifier name: (qualified_identifier
      scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
      name: [(identifier) (destructor_name) (operator_name)] @name)))
    (_ (function_declarator declarator: (qualified_identifier
      scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
      name: [(identifier) (operator_name)] @name)))
    (_ (function_declarator declarator: (qualified_identifier name: (qualified_identifier
      scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
      name: [(identifier) (operator_name)] @name))))
    (qualified_identifier scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
      name: (operator_cast) @name)]
  body: (_)? @body) @function
(template_declaration (function_definition
  declarator: [
    (function_declarator declarator: [(identifier) (field_identifier) (destructor_name) (operator_name)] @name)
    (_ (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name))
    (_ (_ (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name)))]
  body: (_)? @body) @function) @outer
(template_declaration (function_definition
  declarator: [
    (function_declarator declarator: (qualified_identifier
      scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
      name: [(identifier) (destructor_name) (operator_name)] @name))
    (function_declarator declarator: (qualified_identifier name: (qualified_identifier
      scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
      name: [(identifier) (destructor_name) (operator_name)] @name)))
    (_ (function_declarator declarator: (qualified_identifier
      scope: [(namespace_identifier) @owner (template_type name: (_) @owner)]
      name: [(identifier) (operator_name)] @name)))]
  body: (_)? @body) @function) @outer
(declaration
  declarator: [
    (function_declarator declarator: [(identifier) (destructor_name) (operator_name)] @name)
    (pointer_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
    (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))]) @function
(template_declaration (declaration
  declarator: [
    (function_declarator declarator: [(identifier) (destructor_name) (operator_name)] @name)
    (pointer_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
    (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))]) @function) @outer
(field_declaration
  declarator: [
    (function_declarator declarator: [(field_identifier) (operator_name)] @name)
    (pointer_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
    (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))]) @function

;; more names
(namespace_identifier) @name
(function_declarator declarator: (qualified_identifier name: (identifier) @unused))
(destructor_name (identifier) @unused)
(concept_definition name: (identifier) @unused)
(class_specifier name: (type_identifier) @unused body: (_))
(alias_declaration name: (type_identifier) @unused)
(namespace_definition name: (namespace_identifier) @unused)
(namespace_definition name: (nested_namespace_specifier (namespace_identifier) @unused))
(namespace_alias_definition name: (namespace_identifier) @unused)
(attribute (identifier) @unused)
((namespace_identifier) @unused (#eq? @unused "std"))

;; more parameters
(function_definition
  declarator: [
    (function_declarator parameters: (parameter_list (_) @parameter))
    (_ (function_declarator parameters: (parameter_list (_) @parameter)))
    (_ (_ (function_declarator parameters: (parameter_list (_) @parameter))))])

;; more assignments
(declaration
  type: (_) @type
  declarator: [
    (identifier)
    (array_declarator)
    (pointer_declarator [(identifier) (array_declarator)])
    (pointer_declarator (pointer_declarator [(identifier) (array_declarator)]))
    (function_declarator declarator: (parenthesized_declarator))] @target)
(declaration type: (_) @type declarator: (init_declarator declarator: (_) @target)
  (#not-match? @type "^(auto|decltype.auto.)$"))
(declaration type: (_) @_type declarator: (init_declarator declarator: (_) @target value: (_) @value)
  (#match? @_type "^(auto|decltype.auto.)$"))
(for_range_loop type: (_) @type declarator: (_) @target (#not-eq? @type "auto")) @local
(for_range_loop type: (_) @_type declarator: (_) @target (#eq? @_type "auto")) @local
(field_declaration
  type: [
    (type_identifier) (primitive_type) (sized_type_specifier) (qualified_identifier) (template_type)
    (placeholder_type_specifier) (decltype) (dependent_type)
    (struct_specifier !body) (class_specifier !body) (union_specifier !body) (enum_specifier !body)] @type
  declarator: [
    (field_identifier)
    (array_declarator)
    (pointer_declarator [(field_identifier) (array_declarator)])
    (pointer_declarator (pointer_declarator [(field_identifier) (array_declarator)]))
    (reference_declarator (field_identifier))
    (function_declarator declarator: (parenthesized_declarator))] @target)
(field_declaration type: [
  (struct_specifier name: (_) @type body: (_))
  (class_specifier name: (_) @type body: (_))
  (union_specifier name: (_) @type body: (_))
  (enum_specifier name: (_) @type body: (_))]
  declarator: [(field_identifier) (pointer_declarator) (array_declarator)] @target)
(type_definition type: [
  (type_identifier) (primitive_type) (sized_type_specifier) (qualified_identifier) (template_type)
  (struct_specifier !body) (class_specifier !body) (union_specifier !body) (enum_specifier !body)] @type
  declarator: (_) @target)
(alias_declaration name: (_) @target) @written
(namespace_alias_definition name: (_) @target) @written
(concept_definition name: (_) @target) @written

;; enumerators
(enum_specifier . "enum" . name: (_) @class body: (enumerator_list (enumerator name: (identifier) @name)))
(type_definition
  type: (enum_specifier !name body: (enumerator_list (enumerator name: (identifier) @name)))
  declarator: (type_identifier) @class)

;; more aliases
(type_definition
  type: [(struct_specifier name: (_) @class) (union_specifier name: (_) @class) (class_specifier name: (_) @class)]
  declarator: (pointer_declarator declarator: (type_identifier) @alias))
(type_definition
  type: [
    (struct_specifier name: (_) @class !body)
    (class_specifier name: (_) @class !body)
    (union_specifier name: (_) @class !body)
    (enum_specifier name: (_) @class !body)
    (type_identifier) @class]
  declarator: (type_identifier) @alias)
(alias_declaration name: (type_identifier) @alias type: (type_descriptor type: [
  (type_identifier) @class
  (template_type name: (type_identifier) @class)
  (qualified_identifier name: (type_identifier) @class)
  (qualified_identifier name: (template_type name: (type_identifier) @class))]))

;; more binds
(function_declarator declarator: [(identifier) (field_identifier)] @name)
(optional_parameter_declaration declarator: (identifier) @name)
(variadic_declarator (identifier) @name)
(pointer_declarator declarator: [(identifier) (type_identifier)] @name)
(array_declarator declarator: [(identifier) (type_identifier)] @name)
(reference_declarator (identifier) @name)
(structured_binding_declarator (identifier) @name)
(for_range_loop declarator: (identifier) @name)
(lambda_capture_initializer left: (identifier) @name)
(concept_definition name: (identifier) @name)
(type_parameter_declaration (type_identifier) @name)
(variadic_type_parameter_declaration (type_identifier) @name)
(optional_type_parameter_declaration name: (type_identifier) @name)
(class_specifier name: (type_identifier) @name)
(alias_declaration name: (type_identifier) @name)
(namespace_definition name: (namespace_identifier) @name)
(namespace_definition name: (nested_namespace_specifier (namespace_identifier) @name))
(namespace_alias_definition name: (namespace_identifier) @name)
(field_declaration declarator: (field_identifier) @name)
(pointer_declarator declarator: (field_identifier) @name)
(array_declarator declarator: (field_identifier) @name)
(reference_declarator (field_identifier) @name)
(using_declaration (qualified_identifier name: (identifier) @name))

;; more verbatim
(raw_string_literal) @verbatim

;; documented
((comment) @first . (comment) @again . [
  (function_definition) (declaration) (field_declaration) (type_definition) (struct_specifier) (class_specifier)
  (template_declaration)]
  (#match? @first "^/[*][*!]")
  (#match? @again "^/[*][*!]"))

;; more roles
(class_specifier name: (_) @scope.name body: (_) @scope.class)
(enum_specifier "class" name: (_) @scope.name body: (_) @scope.class)
(lambda_expression body: (_) @scope.function)
(lambda_expression) @scope.inner
(if_statement) @scope.inner
(for_range_loop) @scope.inner
(while_statement) @scope.inner
(switch_statement) @scope.inner
(catch_clause) @scope.inner
; A constructor has no type, and its name is the class's.
(function_definition
  type: (_)
  declarator: [
    (function_declarator declarator: (identifier) @function)
    (_ (function_declarator declarator: (identifier) @function))
    (_ (_ (function_declarator declarator: (identifier) @function)))])
(declaration
  type: (_)
  declarator: [
    (function_declarator declarator: (identifier) @function)
    (_ (function_declarator declarator: (identifier) @function))])
(declaration
  type: (_)
  declarator: [
    (function_declarator declarator: (identifier) @function.declares)
    (_ (function_declarator declarator: (identifier) @function.declares))])
(function_definition
  (storage_class_specifier) @_static
  declarator: [
    (function_declarator declarator: (identifier) @function.private)
    (_ (function_declarator declarator: (identifier) @function.private))]
  (#eq? @_static "static"))
(declaration
  (storage_class_specifier) @_extern
  declarator: [(identifier) @assigned.declares (_ (identifier) @assigned.declares)]
  (#eq? @_extern "extern"))
(declaration
  (storage_class_specifier) @_static
  declarator: [
    (identifier) @assigned.private
    (_ [(identifier) @assigned.private (_ (identifier) @assigned.private)])]
  (#eq? @_static "static"))
(function_definition declarator: [
  (function_declarator declarator: (qualified_identifier name: (identifier) @member.assigned))
  (function_declarator declarator: (qualified_identifier
    name: (qualified_identifier name: (identifier) @member.assigned)))
  (_ (function_declarator declarator: (qualified_identifier name: (identifier) @member.assigned)))])
(function_declarator declarator: (field_identifier) @function)
(class_specifier name: (type_identifier) @class body: (_))
(alias_declaration name: (type_identifier) @class)
(concept_definition name: (identifier) @class)
(optional_parameter_declaration declarator: (identifier) @assigned)
(reference_declarator (identifier) @assigned)
(variadic_declarator (identifier) @assigned)
(structured_binding_declarator (identifier) @assigned)
(for_range_loop declarator: (identifier) @assigned)
(lambda_capture_initializer left: (identifier) @assigned)
(reference_declarator (field_identifier) @assigned)
(function_definition
  declarator: [
    (function_declarator parameters: (parameter_list (_ declarator: [
      (identifier) @parameter
      (_ [(identifier) @parameter (_ (identifier) @parameter)])])))
    (_ (function_declarator parameters: (parameter_list (_ declarator: [
      (identifier) @parameter
      (_ [(identifier) @parameter (_ (identifier) @parameter)])]))))
    (_ (_ (function_declarator parameters: (parameter_list (_ declarator: [
      (identifier) @parameter
      (_ [(identifier) @parameter (_ (identifier) @parameter)])])))))]
  body: (_) @owner)
(lambda_expression
  declarator: (_ parameters: (parameter_list (_ declarator: [
    (identifier) @parameter
    (_ [(identifier) @parameter (_ (identifier) @parameter)])])))
  body: (_) @owner)
(field_expression field: (template_method name: (field_identifier) @member))
(field_initializer (field_identifier) @member)
(qualified_identifier name: (identifier) @member)
(qualified_identifier name: (template_function name: (identifier) @member))

;; calls
(call_expression
  function: [
    (identifier) @function
    (template_function name: (identifier) @function)
    (field_expression field: (field_identifier) @function)
    (field_expression field: (template_method name: (field_identifier) @function))
    (qualified_identifier name: (identifier) @function)
    (qualified_identifier name: (qualified_identifier name: (identifier) @function))
    (qualified_identifier name: (template_function name: (identifier) @function))]
  arguments: (argument_list) @arguments) @call
(new_expression
  type: [
    (type_identifier) @function
    (template_type name: (type_identifier) @function)
    (qualified_identifier name: (type_identifier) @function)]
  arguments: (argument_list) @arguments) @call
(declaration
  type: [
    (type_identifier) @function
    (template_type name: (type_identifier) @function)
    (qualified_identifier name: (type_identifier) @function)]
  declarator: (init_declarator value: (argument_list) @arguments)) @call

;; signatures
(function_declarator
  declarator: [
    (identifier) @name
    (field_identifier) @name
    (qualified_identifier name: (identifier) @name)
    (qualified_identifier name: (qualified_identifier name: (identifier) @name))]
  parameters: (parameter_list) @parameters) @function

;; more pairs
(new_expression arguments: (argument_list) @elements) @pair

;; more shape
(raw_string_literal) @string
[
  (argument_list) (parameter_list) (parenthesized_expression) (condition_clause) (initializer_list)
  (subscript_argument_list) (template_argument_list) (template_parameter_list) (lambda_capture_specifier)
  (preproc_params)
] @bracket
[
  (function_definition) (class_specifier) (struct_specifier) (union_specifier) (enum_specifier) (type_definition)
  (template_declaration) (namespace_definition) (preproc_function_def)
] @definition

;; bases
(base_class_clause [
  (type_identifier) @base
  (template_type name: (type_identifier) @base)
  (qualified_identifier name: (type_identifier) @base)
  (qualified_identifier name: (template_type name: (type_identifier) @base))
  (qualified_identifier name: (qualified_identifier name: (type_identifier) @base))])

;; packages
(namespace_definition name: (_) @package)
