; What palimpsest asks of a Swift tree; `base.py` says what the sections and captures mean.

;; scopes
(function_declaration name: (_) @name body: (_) @body) @function
(init_declaration "init" @name body: (_) @body) @function
(deinit_declaration "deinit" @name body: (_) @body) @function
(subscript_declaration "subscript" @name (computed_property) @body) @function
(property_declaration name: (pattern bound_identifier: (_) @name) computed_value: (computed_property) @body) @function
(class_declaration ["class" "struct" "actor" "enum"] name: (type_identifier) @name body: (_) @body) @class
(class_declaration "extension" @adds name: (user_type (type_identifier) @name .) body: (_) @body) @class
(protocol_declaration name: (_) @name body: (_) @body) @class
(protocol_function_declaration name: (_) @name) @function

;; imports
(import_declaration (identifier . (simple_identifier) @module)) @import @all

;; names
(simple_identifier) @name
(type_identifier) @name
(navigation_suffix suffix: (simple_identifier) @unused)
(value_argument_label (simple_identifier) @unused)
(parameter external_name: (simple_identifier) @unused)
(function_declaration name: (simple_identifier) @unused)
(protocol_function_declaration name: (simple_identifier) @unused)
(class_declaration name: (type_identifier) @unused)
(protocol_declaration name: (type_identifier) @unused)
(typealias_declaration name: (type_identifier) @unused)
(associatedtype_declaration name: (type_identifier) @unused)
(enum_entry name: (simple_identifier) @unused)
(user_type (type_identifier) . (type_identifier) @unused)
(import_declaration (identifier (simple_identifier) @unused))
(attribute (user_type (type_identifier) @unused))
(attribute (simple_identifier) @unused)
(directive (simple_identifier) @unused)
(prefix_expression operation: "." target: (simple_identifier) @unused)
(switch_pattern (pattern . (simple_identifier) @unused))

;; parameters
(function_declaration (parameter) @parameter)
(init_declaration (parameter) @parameter)
(subscript_declaration (parameter) @parameter)

;; assignments
(property_declaration
  name: (pattern) @target
  . (type_annotation (_) @type)) @assignment
(property_declaration
  name: (pattern) @target
  . value: (_) @value) @assignment
(property_declaration
  name: (pattern) @target
  . name: (pattern)) @assignment
(protocol_property_declaration
  name: (pattern) @target
  (type_annotation (_) @type)) @assignment
(assignment target: (directly_assignable_expression (navigation_expression) @target) result: (_) @value) @assignment
(enum_entry name: (simple_identifier) @target) @assignment
(for_statement item: (pattern) @target) @assignment
(if_statement bound_identifier: (simple_identifier) @target) @assignment
(guard_statement bound_identifier: (simple_identifier) @target) @assignment
(while_statement bound_identifier: (simple_identifier) @target) @assignment
(pattern (value_binding_pattern) bound_identifier: (simple_identifier) @target) @assignment
(typealias_declaration name: (type_identifier) @target) @assignment

;; bases
(inheritance_specifier inherits_from: (user_type (type_identifier) @base .))

;; binds
(function_declaration name: (simple_identifier) @name)
(protocol_function_declaration name: (simple_identifier) @name)
(class_declaration name: (type_identifier) @name)
(protocol_declaration name: (type_identifier) @name)
(typealias_declaration name: (type_identifier) @name)
(associatedtype_declaration name: (type_identifier) @name)
(type_parameter (type_identifier) @name)
(parameter name: (simple_identifier) @name)
(lambda_parameter name: (simple_identifier) @name)
(lambda_parameter external_name: (simple_identifier) @name)
(capture_list_item name: (simple_identifier) @name)
(pattern bound_identifier: (simple_identifier) @name)
(pattern (simple_identifier) @name)
(if_statement bound_identifier: (simple_identifier) @name)
(guard_statement bound_identifier: (simple_identifier) @name)
(while_statement bound_identifier: (simple_identifier) @name)
(enum_entry name: (simple_identifier) @name)
(computed_setter (simple_identifier) @name)
(didset_clause (simple_identifier) @name)
(willset_clause (simple_identifier) @name)

;; verbatim
(line_string_literal) @verbatim
(multi_line_string_literal) @verbatim
(raw_string_literal) @verbatim
(regex_literal) @verbatim

;; comments
(comment) @comment
(multiline_comment) @comment

;; roles
(source_file) @scope.file
(function_declaration body: (_) @scope.function)
(init_declaration body: (_) @scope.function)
(deinit_declaration body: (_) @scope.function)
(computed_property) @scope.function
(lambda_literal) @scope.function
(class_declaration name: (_) @scope.name body: (_) @scope.class)
(protocol_declaration name: (_) @scope.name body: (_) @scope.class)
(if_statement) @scope.inner
(for_statement) @scope.inner
(while_statement) @scope.inner
(switch_entry) @scope.inner
(do_statement) @scope.inner
(catch_block) @scope.inner
(for_statement collection: (_) @outside)
(function_declaration name: (simple_identifier) @function)
(protocol_function_declaration name: (simple_identifier) @function)
(class_declaration name: (type_identifier) @class)
(protocol_declaration name: (type_identifier) @class)
(typealias_declaration name: (type_identifier) @class)
(function_declaration (parameter name: (simple_identifier) @parameter) body: (_) @owner)
(init_declaration (parameter name: (simple_identifier) @parameter) body: (_) @owner)
(lambda_parameter name: (simple_identifier) @assigned)
(parameter external_name: (simple_identifier) @keyword)
(pattern bound_identifier: (simple_identifier) @assigned)
(for_statement item: (pattern (pattern (simple_identifier) @assigned)))
(for_statement item: (pattern (simple_identifier) @assigned))
(property_declaration name: (pattern (pattern (simple_identifier) @assigned)))
(if_statement bound_identifier: (simple_identifier) @assigned)
(guard_statement bound_identifier: (simple_identifier) @assigned)
(while_statement bound_identifier: (simple_identifier) @assigned)
(enum_entry name: (simple_identifier) @assigned)
(navigation_suffix suffix: (simple_identifier) @member)
(assignment target: (directly_assignable_expression
  (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @member.assigned))))
(user_type (type_identifier) . (type_identifier) @member)
(prefix_expression operation: "." target: (simple_identifier) @member)
(value_argument_label (simple_identifier) @keyword)
(import_declaration (identifier (simple_identifier) @module))
(attribute (user_type (type_identifier) @module))

;; variants
((directive) @turn (#match? @turn "^#else"))
((directive) @over (#not-match? @over "^#else"))

;; calls
(call_expression . (simple_identifier) @function (call_suffix (value_arguments . "(") @arguments)) @call
(call_expression
  . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @function))
  (call_suffix (value_arguments . "(") @arguments)) @call

;; signatures
(function_declaration name: (simple_identifier) @name) @function @parameters
(protocol_function_declaration name: (simple_identifier) @name) @function @parameters
(init_declaration "init" @name) @function @parameters

;; pairs
(call_expression (call_suffix (value_arguments . "(") @elements)) @pair
(additive_expression lhs: (_) @first rhs: (_) @second) @pair
(multiplicative_expression lhs: (_) @first rhs: (_) @second) @pair
(comparison_expression lhs: (_) @first rhs: (_) @second) @pair
(equality_expression lhs: (_) @first rhs: (_) @second) @pair
(conjunction_expression lhs: (_) @first rhs: (_) @second) @pair
(disjunction_expression lhs: (_) @first rhs: (_) @second) @pair
(ternary_expression if_true: (_) @first if_false: (_) @second) @pair
(assignment target: (_) @first result: (_) @second) @pair
(tuple_expression) @pair @elements
(array_literal) @pair @elements

;; shape
(function_body) @block
(class_body) @block
(enum_class_body) @block
(protocol_body) @block
(computed_property) @block
(lambda_literal) @block
(line_string_literal) @string
(multi_line_string_literal) @string
(raw_string_literal) @string
(line_string_literal . _ @quote)
(multi_line_string_literal . _ @quote)
(comment) @comment
(multiline_comment) @comment
[(value_arguments) (array_literal) (dictionary_literal) (tuple_expression) (tuple_type) (type_arguments)] @bracket
(ERROR) @error
(function_declaration) @definition
(init_declaration) @definition
(deinit_declaration) @definition
(class_declaration) @definition
(protocol_declaration) @definition
