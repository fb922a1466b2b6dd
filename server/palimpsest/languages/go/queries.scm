; What palimpsest asks of a Go tree; `languages/base.py` says what the sections and captures mean.

;; scopes
(function_declaration name: (_) @name body: (_) @body) @function
(function_declaration name: (_) @name !body) @function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @owner
    (generic_type type: (type_identifier) @owner)
    (pointer_type (type_identifier) @owner)
    (pointer_type (generic_type type: (type_identifier) @owner))]))
  name: (_) @name
  body: (_) @body) @function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @owner
    (generic_type type: (type_identifier) @owner)
    (pointer_type (type_identifier) @owner)
    (pointer_type (generic_type type: (type_identifier) @owner))]))
  name: (_) @name
  !body) @function
(type_declaration
  "type" . (type_spec name: (_) @name type: (struct_type (field_declaration_list) @body))) @class
(type_declaration
  "type" . (type_spec name: (_) @name type: (interface_type "{" @body))) @class
(type_declaration
  "type" . (type_spec name: (_) @name type: [
    (type_identifier) (qualified_type) (generic_type) (pointer_type) (array_type) (slice_type) (map_type)
    (channel_type) (function_type) (parenthesized_type)])) @class
(type_declaration "type" . (type_alias name: (_) @name)) @class
(type_declaration
  "(" (type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) @class)
(type_declaration
  "(" (type_spec name: (_) @name type: (interface_type "{" @body)) @class)
(type_declaration
  "(" (type_spec name: (_) @name type: [
    (type_identifier) (qualified_type) (generic_type) (pointer_type) (array_type) (slice_type) (map_type)
    (channel_type) (function_type) (parenthesized_type)]) @class)
(type_declaration "(" (type_alias name: (_) @name) @class)
(type_spec type: (interface_type (method_elem name: (_) @name) @function))

;; imports
(import_declaration) @import

;; names
(identifier) @name
(type_identifier) @name
(package_identifier) @name
(package_clause (package_identifier) @unused)
(import_spec name: (package_identifier) @unused)
(function_declaration name: (identifier) @unused)
(type_spec name: (type_identifier) @unused)
(type_alias name: (type_identifier) @unused)
(qualified_type name: (type_identifier) @unused)
; A key is a field's name, or a name in a map.
(keyed_element . (literal_element (identifier) @unused))

;; parameters
(function_declaration
  parameters: (parameter_list (parameter_declaration name: (identifier) @name type: (_) @type) @parameter))
(function_declaration
  parameters: (parameter_list (variadic_parameter_declaration name: (identifier) @name type: (_) @type) @parameter))
(function_declaration
  result: (parameter_list (parameter_declaration name: (identifier) @name type: (_) @type) @parameter))
(method_declaration
  receiver: (parameter_list (parameter_declaration name: (identifier) @name @receiver) @parameter))
(method_declaration
  parameters: (parameter_list (parameter_declaration name: (identifier) @name type: (_) @type) @parameter))
(method_declaration
  parameters: (parameter_list (variadic_parameter_declaration name: (identifier) @name type: (_) @type) @parameter))
(method_declaration
  result: (parameter_list (parameter_declaration name: (identifier) @name type: (_) @type) @parameter))

;; assignments
(const_spec type: (_)? @types value: (expression_list . (_) @value .)?) @target @assignment
(var_spec type: (_)? @types value: (expression_list . (_) @value .)?) @target @assignment
(short_var_declaration left: (expression_list . (_) @target .) right: (expression_list . (_) @value .)) @assignment
(short_var_declaration left: (expression_list . (_) . (_)) @target) @assignment
(range_clause left: (expression_list) @target ":=") @assignment
(receive_statement left: (expression_list) @target ":=") @assignment
(type_switch_statement alias: (expression_list) @target) @assignment
(field_declaration name: (_) type: (_) @types) @target @assignment
(field_declaration !name "*"? @mark type: (_) @target @types) @assignment
(interface_type (type_elem . [(type_identifier) (qualified_type) (generic_type)] @target .)) @assignment

;; bases
(field_declaration !name type: (type_identifier) @base)
(field_declaration !name type: (qualified_type name: (type_identifier) @base))
(field_declaration !name type: (generic_type type: (type_identifier) @base))
(type_elem (type_identifier) @base)
(type_elem (qualified_type name: (type_identifier) @base))

;; shape
(block) @block
(field_declaration_list) @block
(interpreted_string_literal) @string
(raw_string_literal) @string
(rune_literal) @string
(comment) @comment
[
  (argument_list) (parameter_list) (parenthesized_expression) (type_arguments) (type_parameter_list) (literal_value)
  (index_expression) (slice_expression) (import_spec_list)
] @bracket
(ERROR) @error
(function_declaration) @definition
(method_declaration) @definition
(type_declaration) @definition

;; binds
(function_declaration name: (identifier) @name)
(type_spec name: (type_identifier) @name)
(type_alias name: (type_identifier) @name)
(type_parameter_declaration name: (identifier) @name)
(parameter_declaration name: (identifier) @name)
(variadic_parameter_declaration name: (identifier) @name)
(const_spec name: (identifier) @name)
(var_spec name: (identifier) @name)
(short_var_declaration left: (expression_list (identifier) @name))
(range_clause left: (expression_list (identifier) @name))
(receive_statement left: (expression_list (identifier) @name))
(type_switch_statement alias: (expression_list (identifier) @name))
(import_spec name: (package_identifier) @name)

;; verbatim
(interpreted_string_literal) @verbatim
(raw_string_literal) @verbatim
(rune_literal) @verbatim

;; comments
(comment) @comment

;; roles
(source_file) @scope.file
(function_declaration body: (_) @scope.function)
(method_declaration body: (_) @scope.function)
(func_literal body: (_) @scope.function)
(block) @scope.inner
(if_statement) @scope.inner
(for_statement) @scope.inner
(expression_switch_statement) @scope.inner
(type_switch_statement) @scope.inner
(expression_case) @scope.inner
(type_case) @scope.inner
(default_case) @scope.inner
(communication_case) @scope.inner
(function_declaration name: (identifier) @function)
(method_declaration name: (field_identifier) @member.assigned)
(method_elem name: (field_identifier) @member)
(type_spec name: (type_identifier) @class)
(type_alias name: (type_identifier) @class)
(function_declaration parameters: (parameter_list (_ name: (identifier) @parameter)) body: (_) @owner)
(function_declaration result: (parameter_list (_ name: (identifier) @parameter)) body: (_) @owner)
(method_declaration receiver: (parameter_list (_ name: (identifier) @parameter)) body: (_) @owner)
(method_declaration parameters: (parameter_list (_ name: (identifier) @parameter)) body: (_) @owner)
(method_declaration result: (parameter_list (_ name: (identifier) @parameter)) body: (_) @owner)
(func_literal parameters: (parameter_list (_ name: (identifier) @parameter)) body: (_) @owner)
(func_literal result: (parameter_list (_ name: (identifier) @parameter)) body: (_) @owner)
; Names of parameters where there is no body: nothing uses them.
(function_type parameters: (parameter_list (_ name: (identifier) @keyword)))
(function_type result: (parameter_list (_ name: (identifier) @keyword)))
(method_elem parameters: (parameter_list (_ name: (identifier) @keyword)))
(method_elem result: (parameter_list (_ name: (identifier) @keyword)))
(const_spec name: (identifier) @assigned)
(var_spec name: (identifier) @assigned)
(short_var_declaration left: (expression_list (identifier) @assigned))
(range_clause left: (expression_list (identifier) @assigned) ":=")
(receive_statement left: (expression_list (identifier) @assigned) ":=")
(type_switch_statement alias: (expression_list (identifier) @assigned))
(field_declaration name: (field_identifier) @member.assigned)
(selector_expression field: (field_identifier) @member)
(qualified_type name: (type_identifier) @member)
(keyed_element . (literal_element (identifier) @member))
(import_spec name: (package_identifier) @import)

;; variants
((function_declaration name: (_) @other) (#any-of? @other "init" "_"))

;; calls
(call_expression function: (identifier) @function arguments: (argument_list) @arguments) @call
(call_expression
  function: (selector_expression field: (field_identifier) @function)
  arguments: (argument_list) @arguments) @call

;; signatures
(function_declaration name: (identifier) @name parameters: (parameter_list) @parameters) @function
(method_declaration name: (field_identifier) @name parameters: (parameter_list) @parameters) @function

;; pairs
(call_expression arguments: (argument_list) @elements) @pair
(binary_expression left: (_) @first right: (_) @second) @pair
(assignment_statement left: (_) @first right: (_) @second) @pair
(expression_list) @pair @elements
(literal_value) @pair @elements
