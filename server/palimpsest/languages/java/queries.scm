; What palimpsest asks of a Java tree; `languages/base.py` says what the sections and captures mean.

;; scopes
(class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @class
(enum_declaration name: (_) @name body: (_) @body) @class
(record_declaration name: (_) @name body: (_) @body) @class
(annotation_type_declaration name: (_) @name body: (_) @body) @class
(enum_constant name: (_) @name body: (_) @body) @class
(method_declaration name: (_) @name body: (_) @body) @function
(method_declaration name: (_) @name !body) @function
(constructor_declaration name: (_) @name body: (_) @body) @function
(compact_constructor_declaration name: (_) @name body: (_) @body) @function
(annotation_type_element_declaration name: (_) @name) @function

;; imports
(import_declaration (scoped_identifier scope: (_) @module name: (_) @name) .) @import
(import_declaration (identifier) @name @module .) @import
(import_declaration (_) @module (asterisk) @name) @import

;; packages
(package_declaration [(identifier) (scoped_identifier)] @package)

;; names
(identifier) @name
(type_identifier) @name
(field_access field: (identifier) @unused)
(method_invocation object: (_) name: (identifier) @unused)
(method_reference (_) (identifier) @unused .)
(scoped_type_identifier (_) (type_identifier) @unused)
(scoped_identifier (identifier) @unused)
(package_declaration (identifier) @unused)
(import_declaration (identifier) @unused)
(class_declaration name: (identifier) @unused)
(interface_declaration name: (identifier) @unused)
(enum_declaration name: (identifier) @unused)
(record_declaration name: (identifier) @unused)
(annotation_type_declaration name: (identifier) @unused)
(annotation_type_element_declaration name: (identifier) @unused)
(enum_constant name: (identifier) @unused)
(method_declaration name: (identifier) @unused)
(constructor_declaration name: (identifier) @unused)
(compact_constructor_declaration name: (identifier) @unused)
(element_value_pair key: (identifier) @unused)
(labeled_statement . (identifier) @unused)
(break_statement (identifier) @unused)
(continue_statement (identifier) @unused)
((type_identifier) @unused (#eq? @unused "var"))

;; parameters
(method_declaration parameters: (formal_parameters [(formal_parameter) (spread_parameter)] @parameter))
(constructor_declaration parameters: (formal_parameters [(formal_parameter) (spread_parameter)] @parameter))
(record_declaration parameters: (formal_parameters [(formal_parameter) (spread_parameter)] @parameter))

;; assignments
(local_variable_declaration
  type: (_) @type
  declarator: (variable_declarator name: (_) @target)
  (#not-eq? @type "var")) @local
(local_variable_declaration
  type: (type_identifier) @_var
  declarator: (variable_declarator name: (_) @target value: (_) @value)
  (#eq? @_var "var")) @local
(field_declaration type: (_) @type declarator: (variable_declarator name: (_) @target))
(constant_declaration type: (_) @type declarator: (variable_declarator name: (_) @target))
(enum_constant name: (_) @target)
(enhanced_for_statement type: (_) @type name: (_) @target (#not-eq? @type "var")) @local
(enhanced_for_statement type: (type_identifier) @_var name: (_) @target (#eq? @_var "var")) @local
(resource type: (_) @type name: (_) @target (#not-eq? @type "var")) @local
(resource type: (type_identifier) @_var name: (_) @target value: (_) @value (#eq? @_var "var")) @local
(catch_formal_parameter (catch_type) @type name: (_) @target) @local
(instanceof_expression right: (_) @type name: (_) @target) @local
(type_pattern . (_) @type (identifier) @target) @local
(record_pattern_component . (_) @type (identifier) @target) @local

;; bases
(superclass [
  (type_identifier) @base
  (generic_type . (type_identifier) @base)
  (scoped_type_identifier (type_identifier) @base .)
  (generic_type . (scoped_type_identifier (type_identifier) @base .))])
(super_interfaces (type_list [
  (type_identifier) @base
  (generic_type . (type_identifier) @base)
  (scoped_type_identifier (type_identifier) @base .)
  (generic_type . (scoped_type_identifier (type_identifier) @base .))]))
(extends_interfaces (type_list [
  (type_identifier) @base
  (generic_type . (type_identifier) @base)
  (scoped_type_identifier (type_identifier) @base .)
  (generic_type . (scoped_type_identifier (type_identifier) @base .))]))

;; binds
(class_declaration name: (identifier) @name)
(interface_declaration name: (identifier) @name)
(enum_declaration name: (identifier) @name)
(record_declaration name: (identifier) @name)
(annotation_type_declaration name: (identifier) @name)
(enum_constant name: (identifier) @name)
(method_declaration name: (identifier) @name)
(annotation_type_element_declaration name: (identifier) @name)
(type_parameter (type_identifier) @name)
(formal_parameter name: (identifier) @name)
(spread_parameter (variable_declarator name: (identifier) @name))
(catch_formal_parameter name: (identifier) @name)
(inferred_parameters (identifier) @name)
(lambda_expression parameters: (identifier) @name)
(variable_declarator name: (identifier) @name)
(enhanced_for_statement name: (identifier) @name)
(resource name: (identifier) @name)
(instanceof_expression name: (identifier) @name)
(type_pattern (identifier) @name .)
(record_pattern_component (identifier) @name .)
(import_declaration (scoped_identifier name: (identifier) @name) .)
(import_declaration (identifier) @name .)

;; verbatim
(string_literal) @verbatim
(character_literal) @verbatim

;; comments
(line_comment) @comment
(block_comment) @comment

;; documented
((block_comment) @first . (block_comment) @again . [
  (class_declaration) (interface_declaration) (enum_declaration) (record_declaration) (annotation_type_declaration)
  (method_declaration) (constructor_declaration) (field_declaration) (constant_declaration) (enum_constant)]
  (#match? @first "^/[*][*]")
  (#match? @again "^/[*][*]"))

;; roles
(program) @scope.file
(class_declaration name: (_) @scope.name body: (_) @scope.class)
(interface_declaration name: (_) @scope.name body: (_) @scope.class)
(enum_declaration name: (_) @scope.name body: (_) @scope.class)
(record_declaration name: (_) @scope.name body: (_) @scope.class)
(annotation_type_declaration name: (_) @scope.name body: (_) @scope.class)
(enum_constant name: (_) @scope.name body: (_) @scope.class)
(object_creation_expression (class_body) @scope.class)
(method_declaration body: (_) @scope.function)
(constructor_declaration body: (_) @scope.function)
(compact_constructor_declaration body: (_) @scope.function)
(lambda_expression body: (_) @scope.function)
(block) @scope.inner
(if_statement) @scope.inner
(for_statement) @scope.inner
(enhanced_for_statement) @scope.inner
(try_with_resources_statement) @scope.inner
(catch_clause) @scope.inner
(switch_rule) @scope.inner
(switch_block_statement_group) @scope.inner
(class_declaration name: (identifier) @class)
(interface_declaration name: (identifier) @class)
(enum_declaration name: (identifier) @class)
(record_declaration name: (identifier) @class)
(annotation_type_declaration name: (identifier) @class)
(method_declaration name: (identifier) @function)
(annotation_type_element_declaration name: (identifier) @function)
(enum_constant name: (identifier) @assigned)
(method_declaration
  parameters: (formal_parameters [
    (formal_parameter name: (identifier) @parameter)
    (spread_parameter (variable_declarator name: (identifier) @parameter))])
  body: (_) @owner)
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @parameter)) body: (_) @owner)
(constructor_declaration
  parameters: (formal_parameters [
    (formal_parameter name: (identifier) @parameter)
    (spread_parameter (variable_declarator name: (identifier) @parameter))])
  body: (_) @owner)
(lambda_expression
  parameters: [
    (identifier) @parameter
    (inferred_parameters (identifier) @parameter)
    (formal_parameters (formal_parameter name: (identifier) @parameter))
    (formal_parameters (spread_parameter (variable_declarator name: (identifier) @parameter)))]
  body: (_) @owner)
(variable_declarator name: (identifier) @assigned)
(enhanced_for_statement name: (identifier) @assigned)
(resource name: (identifier) @assigned)
(catch_formal_parameter name: (identifier) @assigned)
(instanceof_expression name: (identifier) @assigned)
(type_pattern (identifier) @assigned .)
(record_pattern_component (identifier) @assigned .)
(field_access field: (identifier) @member)
(assignment_expression left: (field_access field: (identifier) @member.assigned))
(method_invocation object: (_) name: (identifier) @member)
(method_reference (_) (identifier) @member .)
(scoped_type_identifier (_) (type_identifier) @member)
(element_value_pair key: (identifier) @keyword)
(labeled_statement . (identifier) @keyword)
(break_statement (identifier) @keyword)
(continue_statement (identifier) @keyword)
(package_declaration (identifier) @module)
(scoped_identifier scope: (identifier) @module)
(scoped_identifier scope: (scoped_identifier name: (identifier) @module))
(package_declaration (scoped_identifier name: (identifier) @module))
(import_declaration (scoped_identifier name: (identifier) @import) .)
(import_declaration (scoped_identifier name: (identifier) @module) (asterisk))
(import_declaration (identifier) @module (asterisk))
(import_declaration (identifier) @import .)

;; calls
(method_invocation name: (identifier) @function arguments: (argument_list) @arguments) @call
(object_creation_expression
  type: [
    (type_identifier) @function
    (generic_type . (type_identifier) @function)
    (scoped_type_identifier (type_identifier) @function .)
    (generic_type . (scoped_type_identifier (type_identifier) @function .))]
  arguments: (argument_list) @arguments) @call

;; signatures
(record_declaration name: (identifier) @name parameters: (formal_parameters) @parameters) @function
(method_declaration name: (identifier) @name parameters: (formal_parameters) @parameters) @function
(constructor_declaration name: (identifier) @name parameters: (formal_parameters) @parameters) @function

;; pairs
(method_invocation arguments: (argument_list) @elements) @pair
(object_creation_expression arguments: (argument_list) @elements) @pair
(binary_expression left: (_) @first right: (_) @second) @pair
(ternary_expression consequence: (_) @first alternative: (_) @second) @pair
(assignment_expression left: (_) @first right: (_) @second) @pair
(array_initializer) @pair @elements

;; shape
[
  (block) (constructor_body) (class_body) (interface_body) (enum_body) (annotation_type_body) (switch_block)
] @block
(string_literal) @string
(character_literal) @string
(line_comment) @comment
(block_comment) @comment
[
  (argument_list) (formal_parameters) (inferred_parameters) (parenthesized_expression) (array_initializer)
  (annotation_argument_list) (type_arguments) (type_parameters) (resource_specification) (dimensions_expr)
] @bracket
(ERROR) @error
[
  (class_declaration) (interface_declaration) (enum_declaration) (record_declaration) (annotation_type_declaration)
  (method_declaration) (constructor_declaration) (compact_constructor_declaration)
] @definition
