; What palimpsest asks of a PHP tree; `base.py` says what the sections and captures mean.

;; scopes
(function_definition name: (_) @name body: (_) @body) @function
(method_declaration name: (_) @name body: (_) @body) @function
(method_declaration name: (_) @name !body) @function
(class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @class
(trait_declaration name: (_) @name body: (_) @body) @class
(enum_declaration name: (_) @name body: (_) @body) @class
(namespace_definition name: (_) @name body: (_) @body) @namespace

;; imports
(namespace_use_declaration) @import
(expression_statement [
  (require_expression) (require_once_expression) (include_expression) (include_once_expression)]) @import

;; names
(variable_name) @name
(name) @name
(variable_name (name) @unused)
(namespace_name (name) @unused)
(qualified_name (name) @unused)
(namespace_use_clause (name) @unused)
(function_definition name: (name) @unused)
(method_declaration name: (name) @unused)
(class_declaration name: (name) @unused)
(interface_declaration name: (name) @unused)
(trait_declaration name: (name) @unused)
(enum_declaration name: (name) @unused)
(enum_case name: (name) @unused)
(const_element . (name) @unused)
(member_access_expression name: (name) @unused)
(nullsafe_member_access_expression name: (name) @unused)
(member_call_expression name: (name) @unused)
(nullsafe_member_call_expression name: (name) @unused)
(scoped_call_expression name: (name) @unused)
(scoped_property_access_expression name: (variable_name) @unused)
(class_constant_access_expression (_) (name) @unused)
(argument name: (name) @unused)
(property_element name: (variable_name) @unused)

;; parameters
(function_definition parameters: (formal_parameters (_) @parameter))
(method_declaration parameters: (formal_parameters (_) @parameter))

;; assignments
(assignment_expression left: (_) @target right: (_) @value) @assignment
(reference_assignment_expression left: (_) @target) @assignment
(augmented_assignment_expression left: (variable_name) @target) @assignment
(property_declaration type: (_) @type (property_element name: (_) @target)) @assignment
(property_declaration !type (property_element name: (_) @target default_value: (_)? @value)) @assignment
(property_promotion_parameter type: (_) @type) @target @assignment
(property_promotion_parameter !type) @target @assignment
(const_element . (name) @target (_) @value) @assignment
(enum_case name: (name) @target value: (_)? @value) @assignment
; What is behind the class and not behind an object.
(enum_case name: (name) @target @static)
(declaration_list (const_declaration (const_element . (name) @target @static)))
(enum_declaration_list (const_declaration (const_element . (name) @target @static)))
(property_declaration (static_modifier) (property_element name: (_) @target @static))
(foreach_statement "as" . (_) @target) @assignment
(catch_clause name: (_) @target) @assignment
(static_variable_declaration name: (_) @target value: (_)? @value) @assignment
(global_declaration (variable_name) @target) @assignment

;; bases
(base_clause [(name) @base (qualified_name (name) @base .)])
(class_interface_clause [(name) @base (qualified_name (name) @base .)])

;; mixins
(use_declaration [(name) @mixin (qualified_name (name) @mixin .)])

;; packages
(namespace_definition name: (_) @package !body)

;; binds
(function_definition name: (name) @name)
(class_declaration name: (name) @name)
(interface_declaration name: (name) @name)
(trait_declaration name: (name) @name)
(enum_declaration name: (name) @name)
(formal_parameters (_) @target)
(assignment_expression left: (_) @target)
(reference_assignment_expression left: (_) @target)
(foreach_statement "as" . (_) @target)
(catch_clause name: (_) @target)
(static_variable_declaration name: (_) @target)
(global_declaration (variable_name) @name)
(const_element . (name) @name)
(namespace_use_clause (name) @name)
(namespace_use_clause (qualified_name (name) @name))

;; verbatim
(string) @verbatim
(encapsed_string) @verbatim
(heredoc) @verbatim
(nowdoc) @verbatim
(shell_command_expression) @verbatim
(text) @verbatim

;; comments
(comment) @comment

;; roles
(program) @scope.file
(function_definition body: (_) @scope.function)
(method_declaration body: (_) @scope.function)
(anonymous_function body: (_) @scope.function)
(arrow_function body: (_) @scope.function)
(class_declaration name: (_) @scope.name body: (_) @scope.class)
(interface_declaration name: (_) @scope.name body: (_) @scope.class)
(trait_declaration name: (_) @scope.name body: (_) @scope.class)
(enum_declaration name: (_) @scope.name body: (_) @scope.class)
(function_definition name: (name) @function)
(method_declaration name: (name) @function)
(class_declaration name: (name) @class)
(interface_declaration name: (name) @class)
(trait_declaration name: (name) @class)
(enum_declaration name: (name) @class)
(function_definition parameters: (formal_parameters (_ name: (variable_name) @parameter)) body: (_) @owner)
(method_declaration parameters: (formal_parameters (_ name: (variable_name) @parameter)) body: (_) @owner)
(method_declaration
  parameters: (formal_parameters (property_promotion_parameter name: (variable_name) @parameter.member)) body: (_) @owner)
(anonymous_function parameters: (formal_parameters (_ name: (variable_name) @parameter)) body: (_) @owner)
(arrow_function parameters: (formal_parameters (_ name: (variable_name) @parameter)) body: (_) @owner)
(assignment_expression left: (variable_name) @assigned)
(reference_assignment_expression left: (variable_name) @assigned)
(list_literal (variable_name) @assigned)
(foreach_statement "as" . (variable_name) @assigned)
(foreach_statement "as" . (pair (variable_name) @assigned))
(foreach_statement "as" . (by_ref (variable_name) @assigned))
(catch_clause name: (variable_name) @assigned)
(static_variable_declaration name: (variable_name) @assigned)
(global_declaration (variable_name) @declared.file)
(const_declaration (const_element . (name) @assigned))
(declaration_list (const_declaration (const_element . (name) @member.assigned)))
(enum_declaration_list (const_declaration (const_element . (name) @member.assigned)))
(enum_case name: (name) @member.assigned)
; `$items` is `items` behind an object.
(variable_name (name) @module)
(property_element name: (variable_name (name) @member.assigned))
(scoped_property_access_expression name: (variable_name (name) @member))
(member_access_expression name: (name) @member)
(assignment_expression left: (member_access_expression name: (name) @member.assigned))
(nullsafe_member_access_expression name: (name) @member)
(member_call_expression name: (name) @member)
(nullsafe_member_call_expression name: (name) @member)
(scoped_call_expression name: (name) @member)
(class_constant_access_expression (_) (name) @member)
(argument name: (name) @keyword)
(namespace_name (name) @module)
(namespace_use_clause (name) @import !alias)
(namespace_use_clause (qualified_name (name) @import .) !alias)
(namespace_use_clause . (name) @imported alias: (name) @import)
(namespace_use_clause (qualified_name (name) @imported .) alias: (name) @import)

;; variants
(if_statement alternative: (_) @branch)

;; calls
(function_call_expression
  function: [(name) @function (qualified_name (name) @function .)]
  arguments: (arguments) @arguments) @call
(member_call_expression name: (name) @function arguments: (arguments) @arguments) @call
(nullsafe_member_call_expression name: (name) @function arguments: (arguments) @arguments) @call
(scoped_call_expression name: (name) @function arguments: (arguments) @arguments) @call
(object_creation_expression [(name) @function (qualified_name (name) @function .)] (arguments) @arguments) @call

;; signatures
(function_definition name: (name) @name parameters: (formal_parameters) @parameters) @function
(method_declaration name: (name) @name parameters: (formal_parameters) @parameters) @function

;; pairs
(function_call_expression arguments: (arguments) @elements) @pair
(member_call_expression arguments: (arguments) @elements) @pair
(scoped_call_expression arguments: (arguments) @elements) @pair
(object_creation_expression (arguments) @elements) @pair
(binary_expression left: (_) @first right: (_) @second) @pair
(conditional_expression body: (_) @first alternative: (_) @second) @pair
(assignment_expression left: (_) @first right: (_) @second) @pair
(list_literal) @pair @elements
(array_creation_expression) @pair @elements

;; shape
(compound_statement) @block
(declaration_list) @block
(enum_declaration_list) @block
(match_block) @block
(string) @string
(encapsed_string) @string
(heredoc) @string
(nowdoc) @string
(text) @string
(string . _ @quote)
(encapsed_string . _ @quote)
(comment) @comment
[
  (arguments) (formal_parameters) (parenthesized_expression) (array_creation_expression) (list_literal)
  (subscript_expression) (namespace_use_group)
] @bracket
(ERROR) @error
(function_definition) @definition
(method_declaration) @definition
(class_declaration) @definition
(interface_declaration) @definition
(trait_declaration) @definition
(enum_declaration) @definition
