; What palimpsest asks of a C# tree; `languages/base.py` says what the sections and captures mean.

;; scopes
; Namespaces are no scopes: nearly every file has one, and what is inside is known by its name without it.
(class_declaration name: (_) @name body: (_)? @body) @class
(struct_declaration name: (_) @name body: (_)? @body) @class
(interface_declaration name: (_) @name body: (_)? @body) @class
(record_declaration name: (_) @name body: (_)? @body) @class
(enum_declaration name: (_) @name body: (_)? @body) @class
(method_declaration name: (_) @name body: (_)? @body) @function
(constructor_declaration name: (_) @name body: (_)? @body) @function
(destructor_declaration name: (_) @name body: (_)? @body) @function
(operator_declaration operator: _ @name body: (_)? @body) @function
(conversion_operator_declaration type: (_) @name body: (_)? @body) @function
(local_function_statement name: (_) @name body: (_)? @body) @function
(delegate_declaration name: (_) @name) @function
(indexer_declaration "this" @name accessors: (_) @body) @function
(indexer_declaration "this" @name value: (_) @body) @function
(property_declaration name: (_) @name accessors: (accessor_list (accessor_declaration body: (_))) @body) @function
(event_declaration name: (_) @name accessors: (accessor_list (accessor_declaration body: (_))) @body) @function

;; imports
(using_directive) @import

;; packages
(namespace_declaration name: (_) @package) @inside
(file_scoped_namespace_declaration name: (_) @package) @inside @file

;; names
(identifier) @name
(implicit_parameter) @name
(member_access_expression name: (identifier) @unused)
(member_access_expression name: (generic_name (identifier) @unused))
(member_binding_expression name: (identifier) @unused)
(member_binding_expression name: (generic_name (identifier) @unused))
(qualified_name name: (identifier) @unused)
(qualified_name name: (generic_name (identifier) @unused))
(using_directive (identifier) @unused)
(using_directive (qualified_name (identifier) @unused))
(using_directive (qualified_name (qualified_name (identifier) @unused)))
(namespace_declaration name: (identifier) @unused)
(namespace_declaration name: (qualified_name (identifier) @unused))
(file_scoped_namespace_declaration name: (identifier) @unused)
(file_scoped_namespace_declaration name: (qualified_name (identifier) @unused))
(class_declaration name: (identifier) @unused)
(struct_declaration name: (identifier) @unused)
(interface_declaration name: (identifier) @unused)
(record_declaration name: (identifier) @unused)
(enum_declaration name: (identifier) @unused)
(enum_member_declaration name: (identifier) @unused)
(method_declaration name: (identifier) @unused)
(constructor_declaration name: (identifier) @unused)
(destructor_declaration name: (identifier) @unused)
(local_function_statement name: (identifier) @unused)
(delegate_declaration name: (identifier) @unused)
(property_declaration name: (identifier) @unused)
(event_declaration name: (identifier) @unused)
(argument name: (identifier) @unused)
(attribute_argument name: (identifier) @unused)
(initializer_expression (assignment_expression left: (identifier) @unused))
(anonymous_object_creation_expression (identifier) @unused)
(property_pattern_clause (subpattern . (identifier) @unused))
(labeled_statement . (identifier) @unused)
(goto_statement (identifier) @unused)

;; parameters
(method_declaration parameters: (parameter_list [(parameter) @parameter (identifier) @parameter]))
(constructor_declaration parameters: (parameter_list [(parameter) @parameter (identifier) @parameter]))
(local_function_statement parameters: (parameter_list [(parameter) @parameter (identifier) @parameter]))
(operator_declaration parameters: (parameter_list [(parameter) @parameter (identifier) @parameter]))
(indexer_declaration parameters: (bracketed_parameter_list (parameter) @parameter))

;; assignments
(local_declaration_statement (variable_declaration
  type: (_) @type
  (variable_declarator name: (_) @target))
  (#not-eq? @type "var")) @local
(local_declaration_statement (variable_declaration
  type: (implicit_type)
  (variable_declarator . name: (_) @target . (_) @value))) @local
(local_declaration_statement (variable_declaration
  type: (implicit_type)
  (variable_declarator . (tuple_pattern) @target))) @local
(using_statement (variable_declaration type: (_) @type (variable_declarator name: (_) @target))
  (#not-eq? @type "var")) @local
(using_statement (variable_declaration type: (implicit_type) (variable_declarator . name: (_) @target . (_) @value)))
  @local
(for_statement initializer: (variable_declaration type: (_) @type (variable_declarator name: (_) @target))
  (#not-eq? @type "var")) @local
(for_statement initializer: (variable_declaration
  type: (implicit_type)
  (variable_declarator . name: (_) @target . (_) @value))) @local
(foreach_statement type: (_) @type left: (_) @target (#not-eq? @type "var")) @local
(foreach_statement type: (implicit_type) left: (_) @target) @local
(catch_declaration type: (_) @type name: (_) @target) @local
(declaration_pattern type: (_) @type name: (_) @target) @local
(declaration_expression type: (_) @type name: (_) @target (#not-eq? @type "var")) @local
(declaration_expression type: (implicit_type) name: (_) @target) @local
(recursive_pattern name: (_) @target) @local
(field_declaration (variable_declaration type: (_) @type (variable_declarator name: (_) @target)))
(event_field_declaration (variable_declaration type: (_) @type (variable_declarator name: (_) @target)))
(property_declaration type: (_) @type name: (_) @target)
(event_declaration type: (_) @type name: (_) @target)
(enum_member_declaration name: (_) @target)

;; aliases
(using_directive name: (identifier) @alias (qualified_name name: (identifier) @class))

;; bases
(base_list [
  (identifier) @base
  (generic_name (identifier) @base)
  (qualified_name name: (identifier) @base)
  (qualified_name name: (generic_name (identifier) @base))
  (primary_constructor_base_type type: (identifier) @base)
  (primary_constructor_base_type type: (generic_name (identifier) @base))])

;; binds
(class_declaration name: (identifier) @name)
(struct_declaration name: (identifier) @name)
(interface_declaration name: (identifier) @name)
(record_declaration name: (identifier) @name)
(enum_declaration name: (identifier) @name)
(enum_member_declaration name: (identifier) @name)
(method_declaration name: (identifier) @name)
(local_function_statement name: (identifier) @name)
(delegate_declaration name: (identifier) @name)
(property_declaration name: (identifier) @name)
(event_declaration name: (identifier) @name)
(type_parameter name: (identifier) @name)
(parameter name: (identifier) @name)
(parameter_list name: (identifier) @name)
(implicit_parameter) @name
(variable_declarator name: (identifier) @name)
(tuple_pattern (identifier) @name)
(foreach_statement left: (identifier) @name)
(catch_declaration name: (identifier) @name)
(declaration_pattern name: (identifier) @name)
(declaration_expression name: (identifier) @name)
(recursive_pattern name: (identifier) @name)
(from_clause name: (identifier) @name)
(let_clause . (identifier) @name)
(using_directive name: (identifier) @name)

;; verbatim
(string_literal) @verbatim
(verbatim_string_literal) @verbatim
(raw_string_literal) @verbatim
(interpolated_string_expression) @verbatim
(character_literal) @verbatim

;; comments
(comment) @comment

;; roles
(compilation_unit) @scope.file
(class_declaration name: (_) @scope.name body: (_) @scope.class)
(struct_declaration name: (_) @scope.name body: (_) @scope.class)
(interface_declaration name: (_) @scope.name body: (_) @scope.class)
(record_declaration name: (_) @scope.name body: (_) @scope.class)
(enum_declaration name: (_) @scope.name body: (_) @scope.class)
(method_declaration body: (_) @scope.function)
(constructor_declaration body: (_) @scope.function)
(destructor_declaration body: (_) @scope.function)
(operator_declaration body: (_) @scope.function)
(conversion_operator_declaration body: (_) @scope.function)
(local_function_statement body: (_) @scope.function)
(accessor_declaration body: (_) @scope.function)
(property_declaration value: (arrow_expression_clause) @scope.function)
(lambda_expression body: (_) @scope.function)
(anonymous_method_expression (block) @scope.function)
(method_declaration parameters: (_) @scope.inner)
(constructor_declaration parameters: (_) @scope.inner)
(delegate_declaration parameters: (_) @scope.inner)
(block) @scope.inner
(if_statement) @scope.inner
(for_statement) @scope.inner
(foreach_statement) @scope.inner
(using_statement) @scope.inner
(catch_clause) @scope.inner
(switch_section) @scope.inner
(switch_expression_arm) @scope.inner
(query_expression) @scope.inner
(class_declaration name: (identifier) @class)
(struct_declaration name: (identifier) @class)
(interface_declaration name: (identifier) @class)
(record_declaration name: (identifier) @class)
(enum_declaration name: (identifier) @class)
(delegate_declaration name: (identifier) @class)
(method_declaration name: (identifier) @function)
(local_function_statement name: (identifier) @function)
(property_declaration name: (identifier) @assigned)
(event_declaration name: (identifier) @assigned)
(enum_member_declaration name: (identifier) @assigned)
(method_declaration
  parameters: (parameter_list [(parameter name: (identifier) @parameter) (identifier) @parameter]) body: (_) @owner)
(constructor_declaration
  parameters: (parameter_list [(parameter name: (identifier) @parameter) (identifier) @parameter]) body: (_) @owner)
(local_function_statement
  parameters: (parameter_list [(parameter name: (identifier) @parameter) (identifier) @parameter]) body: (_) @owner)
(operator_declaration parameters: (parameter_list (parameter name: (identifier) @parameter)) body: (_) @owner)
(conversion_operator_declaration
  parameters: (parameter_list (parameter name: (identifier) @parameter)) body: (_) @owner)
(record_declaration (parameter_list (parameter name: (identifier) @parameter)) body: (_) @owner)
(class_declaration (parameter_list (parameter name: (identifier) @parameter)) body: (_) @owner)
(struct_declaration (parameter_list (parameter name: (identifier) @parameter)) body: (_) @owner)
(lambda_expression
  parameters: [(implicit_parameter) @parameter (parameter_list (parameter name: (identifier) @parameter))]
  body: (_) @owner)
(variable_declarator name: (identifier) @assigned)
(tuple_pattern (identifier) @assigned)
(foreach_statement left: (identifier) @assigned)
(catch_declaration name: (identifier) @assigned)
(declaration_pattern name: (identifier) @assigned)
(declaration_expression name: (identifier) @assigned)
(recursive_pattern name: (identifier) @assigned)
(from_clause name: (identifier) @assigned)
(let_clause . (identifier) @assigned)
(member_access_expression name: (identifier) @member)
(member_access_expression name: (generic_name (identifier) @member))
(assignment_expression left: (member_access_expression name: (identifier) @member.assigned))
(member_binding_expression name: (identifier) @member)
(initializer_expression (assignment_expression left: (identifier) @member))
(qualified_name name: (identifier) @member)
(argument name: (identifier) @keyword)
(attribute_argument name: (identifier) @keyword)
(anonymous_object_creation_expression (identifier) @keyword . "=")
(labeled_statement . (identifier) @keyword)
(goto_statement (identifier) @keyword)
(namespace_declaration name: (identifier) @module)
(namespace_declaration name: (qualified_name (identifier) @module))
(file_scoped_namespace_declaration name: (identifier) @module)
(file_scoped_namespace_declaration name: (qualified_name (identifier) @module))
(using_directive !name (identifier) @module)
(using_directive (qualified_name (identifier) @module))
(using_directive (qualified_name (qualified_name (identifier) @module)))
(using_directive name: (identifier) @import)

;; variants
(preproc_if alternative: (_) @branch)
(preproc_elif alternative: (_) @branch)
(_ (modifier) @_partial name: (_) @alike (#eq? @_partial "partial"))

;; calls
(invocation_expression
  function: [
    (identifier) @function
    (generic_name (identifier) @function)
    (member_access_expression name: (identifier) @function)
    (member_access_expression name: (generic_name (identifier) @function))
    (conditional_access_expression (member_binding_expression name: (identifier) @function))]
  arguments: (argument_list) @arguments) @call
(object_creation_expression
  type: [
    (identifier) @function
    (generic_name (identifier) @function)
    (qualified_name name: (identifier) @function)]
  arguments: (argument_list) @arguments) @call

;; signatures
(method_declaration name: (identifier) @name parameters: (parameter_list) @parameters) @function
(method_declaration (modifier) @async name: (identifier) @name parameters: (parameter_list) @parameters
  (#eq? @async "async")) @function
(constructor_declaration name: (identifier) @name parameters: (parameter_list) @parameters) @function
(local_function_statement name: (identifier) @name parameters: (parameter_list) @parameters) @function
(local_function_statement (modifier) @async name: (identifier) @name parameters: (parameter_list) @parameters
  (#eq? @async "async")) @function
(record_declaration name: (identifier) @name (parameter_list) @parameters) @function
(class_declaration name: (identifier) @name (parameter_list) @parameters) @function
(struct_declaration name: (identifier) @name (parameter_list) @parameters) @function

;; pairs
(invocation_expression arguments: (argument_list) @elements) @pair
(object_creation_expression arguments: (argument_list) @elements) @pair
(binary_expression left: (_) @first right: (_) @second) @pair
(conditional_expression consequence: (_) @first alternative: (_) @second) @pair
(assignment_expression left: (_) @first right: (_) @second) @pair
(initializer_expression) @pair @elements
(tuple_expression) @pair @elements

;; shape
[
  (block) (declaration_list) (enum_member_declaration_list) (accessor_list) (switch_body)
] @block
(string_literal) @string
(verbatim_string_literal) @string
(raw_string_literal) @string
(interpolated_string_expression) @string
(character_literal) @string
(comment) @comment
[
  (argument_list) (bracketed_argument_list) (parameter_list) (parenthesized_expression) (initializer_expression)
  (tuple_expression) (type_argument_list) (attribute_list) (attribute_argument_list)
] @bracket
(ERROR) @error
[
  (class_declaration) (struct_declaration) (interface_declaration) (record_declaration) (enum_declaration)
  (method_declaration) (constructor_declaration) (destructor_declaration) (property_declaration)
  (operator_declaration) (local_function_statement) (namespace_declaration)
] @definition
