; What palimpsest asks of a TypeScript tree beside what it asks of a JavaScript tree.

;; more scopes
(abstract_class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @class
(enum_declaration name: (_) @name body: (_) @body) @class
(type_alias_declaration name: (_) @name value: (object_type) @body) @class
(type_alias_declaration name: (_) @name value: (_) @_value (#not-match? @_value "^[{]")) @class
(type_alias_declaration name: (_) @name value: [(union_type) (intersection_type) (array_type)]) @class
(internal_module name: (_) @name body: (_) @body) @namespace
(module name: (string (string_fragment) @name) body: (_) @body) @namespace
(module name: (identifier) @name body: (_) @body) @namespace
(ambient_declaration "global" @name (statement_block) @body) @namespace
(function_signature name: (_) @name) @function
(class_body (method_signature name: (_) @name) @function)
(class_body (abstract_method_signature name: (_) @name) @function)
(interface_body (method_signature name: (_) @name) @function)
(type_alias_declaration value: (object_type (method_signature name: (_) @name) @function))
(class_body (public_field_definition
  name: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function)

;; more imports
(import_statement (import_require_clause)) @import
(import_statement (import_require_clause . (identifier) @whole source: (_) @module)) @import

;; more names
(type_identifier) @name
(abstract_class_declaration name: (_) @unused)
(interface_declaration name: (_) @unused)
(enum_declaration name: (_) @unused)
(type_alias_declaration name: (_) @unused)
(function_signature name: (_) @unused)
(internal_module name: (identifier) @unused)
(internal_module name: (nested_identifier (identifier) @unused))
(module name: (identifier) @unused)
(index_signature name: (identifier) @unused)
(nested_type_identifier name: (_) @unused)
(import_require_clause (identifier) @unused)
(import_alias . (identifier) @unused)
(required_parameter name: (identifier) @unused)
(optional_parameter name: (identifier) @unused)
(function_type parameters: (formal_parameters (_ pattern: (identifier) @unused)))
(constructor_type parameters: (formal_parameters (_ pattern: (identifier) @unused)))
(call_signature parameters: (formal_parameters (_ pattern: (identifier) @unused)))
(construct_signature parameters: (formal_parameters (_ pattern: (identifier) @unused)))

;; more parameters
(function_declaration parameters: (formal_parameters
  (_ pattern: [(identifier) (rest_pattern (identifier))]) @parameter))
(generator_function_declaration parameters: (formal_parameters
  (_ pattern: [(identifier) (rest_pattern (identifier))]) @parameter))
(function_signature parameters: (formal_parameters
  (_ pattern: [(identifier) (rest_pattern (identifier))]) @parameter))
(method_definition parameters: (formal_parameters
  (_ pattern: [(identifier) (rest_pattern (identifier))]) @parameter))
(method_signature parameters: (formal_parameters
  (_ pattern: [(identifier) (rest_pattern (identifier))]) @parameter))
(abstract_method_signature parameters: (formal_parameters
  (_ pattern: [(identifier) (rest_pattern (identifier))]) @parameter))
(_ value: (_ parameters: (formal_parameters
  (_ pattern: [(identifier) (rest_pattern (identifier))]) @parameter)))
(_ right: (_ parameters: (formal_parameters
  (_ pattern: [(identifier) (rest_pattern (identifier))]) @parameter)))
(variable_declarator value: (call_expression arguments: (arguments . (_ parameters: (formal_parameters
  (_ pattern: [(identifier) (rest_pattern (identifier))]) @parameter)))))
(function_declaration parameters: (formal_parameters
  (_ pattern: [(object_pattern) (array_pattern) (rest_pattern [(object_pattern) (array_pattern)])] @several) @parameter))
(generator_function_declaration parameters: (formal_parameters
  (_ pattern: [(object_pattern) (array_pattern) (rest_pattern [(object_pattern) (array_pattern)])] @several) @parameter))
(function_signature parameters: (formal_parameters
  (_ pattern: [(object_pattern) (array_pattern) (rest_pattern [(object_pattern) (array_pattern)])] @several) @parameter))
(method_definition parameters: (formal_parameters
  (_ pattern: [(object_pattern) (array_pattern) (rest_pattern [(object_pattern) (array_pattern)])] @several) @parameter))
(method_signature parameters: (formal_parameters
  (_ pattern: [(object_pattern) (array_pattern) (rest_pattern [(object_pattern) (array_pattern)])] @several) @parameter))
(abstract_method_signature parameters: (formal_parameters
  (_ pattern: [(object_pattern) (array_pattern) (rest_pattern [(object_pattern) (array_pattern)])] @several) @parameter))
(_ value: (_ parameters: (formal_parameters
  (_ pattern: [(object_pattern) (array_pattern) (rest_pattern [(object_pattern) (array_pattern)])] @several) @parameter)))
(_ right: (_ parameters: (formal_parameters
  (_ pattern: [(object_pattern) (array_pattern) (rest_pattern [(object_pattern) (array_pattern)])] @several) @parameter)))
(variable_declarator value: (call_expression arguments: (arguments . (_ parameters: (formal_parameters
  (_ pattern: [(object_pattern) (array_pattern) (rest_pattern [(object_pattern) (array_pattern)])] @several) @parameter)))))

;; more assignments
(program (_ (variable_declarator name: (_) @target type: (type_annotation (_) @type))))
(program (_ (variable_declarator name: (_) @target !type !value)))
(program (_ (variable_declarator name: (_) @target !type value: (_) @value))
  (#not-match? @value "^(require|await import)\\b"))
(export_statement declaration: (_ (variable_declarator name: (_) @target type: (type_annotation (_) @type))))
(export_statement declaration: (_ (variable_declarator name: (_) @target !type value: (_)? @value)))
(ambient_declaration (_ (variable_declarator name: (_) @target type: (type_annotation (_) @type))))
(ambient_declaration (_ (variable_declarator name: (_) @target !type)))
(program (import_alias . (identifier) @target))
(internal_module body: (_ (_ (variable_declarator name: (_) @target type: (type_annotation (_) @type)))))
(internal_module body: (_ (_ (variable_declarator name: (_) @target !type value: (_)? @value))))
(statement_block (_ (variable_declarator name: (_) @target type: (type_annotation (_) @type)))) @local
(statement_block (_ (variable_declarator name: (_) @target !type value: (_)? @value))) @local
(switch_body (_ body: (_ (variable_declarator name: (_) @target type: (type_annotation (_) @type))))) @local
(switch_body (_ body: (_ (variable_declarator name: (_) @target !type value: (_)? @value)))) @local
(class_body (public_field_definition name: (_) @target type: (type_annotation (_) @type))) @member
(class_body (public_field_definition name: (_) @target !type value: (_)? @value)) @member
(class_body (public_field_definition "static" name: (_) @target @static))
(interface_body (property_signature name: (_) @target) @written) @member
(type_alias_declaration value: (object_type (property_signature name: (_) @target) @written)) @member
(enum_body name: (property_identifier) @target) @member
(enum_body (enum_assignment name: (_) @target value: (_) @value)) @member
(method_definition parameters: (formal_parameters (required_parameter
  [(accessibility_modifier) "readonly"] pattern: (identifier) @target type: (type_annotation (_) @type)))) @promoted
(method_definition parameters: (formal_parameters (optional_parameter
  [(accessibility_modifier) "readonly"] pattern: (identifier) @target type: (type_annotation (_) @type)))) @promoted

;; more exports
(export_statement !source (identifier) @all) @statement

;; bases
(extends_clause value: (identifier) @base)
(extends_clause value: (member_expression property: (property_identifier) @base))
(implements_clause [
  (type_identifier) @base
  (nested_type_identifier name: (_) @base)
  (generic_type name: (type_identifier) @base)
  (generic_type name: (nested_type_identifier name: (_) @base))])
(extends_type_clause type: [
  (type_identifier) @base
  (nested_type_identifier name: (_) @base)
  (generic_type name: (type_identifier) @base)
  (generic_type name: (nested_type_identifier name: (_) @base))])

;; more aliases
(type_alias_declaration name: (_) @alias value: (type_identifier) @class)
(type_alias_declaration name: (_) @alias value: (generic_type name: (type_identifier) @class))

;; more binds
(abstract_class_declaration name: (_) @name)
(interface_declaration name: (_) @name)
(enum_declaration name: (_) @name)
(type_alias_declaration name: (_) @name)
(function_signature name: (_) @name)
(internal_module name: (identifier) @name)
(internal_module name: (nested_identifier object: (identifier) @name))
(type_parameter name: (_) @name)
(mapped_type_clause name: (_) @name)
(infer_type (type_identifier) @name)
(index_signature name: (identifier) @name)
(import_require_clause (identifier) @name)
(import_alias . (identifier) @name)

;; more documented
((comment) @first . (comment) @again . [(interface_declaration) (type_alias_declaration) (enum_declaration)]
  (#match? @first "^/[*][*]")
  (#match? @again "^/[*][*]"))

;; more roles
(abstract_class_declaration name: (_) @scope.name body: (_) @scope.class)
(interface_declaration name: (_) @scope.name body: (_) @scope.class)
(enum_declaration name: (_) @scope.name body: (_) @scope.class)
(type_alias_declaration name: (_) @scope.name value: (object_type) @scope.class)
(internal_module body: (_) @scope.function)
(module body: (_) @scope.function)
(abstract_class_declaration name: (_) @class)
(interface_declaration name: (_) @class)
(enum_declaration name: (_) @class)
(type_alias_declaration name: (_) @class)
(internal_module name: (identifier) @class)
(function_signature name: (_) @function)
(class_body (method_signature name: (_) @function))
(class_body (abstract_method_signature name: (_) @function))
(interface_body (method_signature name: (_) @function))
(interface_body (property_signature name: (_) @assigned))
(type_alias_declaration value: (object_type (method_signature name: (_) @function)))
(type_alias_declaration value: (object_type (property_signature name: (_) @assigned)))
(enum_body name: (property_identifier) @assigned)
(enum_body (enum_assignment name: (property_identifier) @assigned))
(nested_type_identifier name: (_) @member)
(nested_type_identifier module: (identifier) @use)
(type_parameter name: (_) @assigned)
(import_require_clause (identifier) @import)
(import_alias . (identifier) @assigned)
(class_body (public_field_definition name: (_) @assigned))
(method_definition
  parameters: (formal_parameters (_ (accessibility_modifier) pattern: (identifier) @parameter.member)) body: (_) @owner)
(method_definition
  parameters: (formal_parameters (_ "readonly" pattern: (identifier) @parameter.member)) body: (_) @owner)
(_ parameters: (formal_parameters (_ pattern: [
  (identifier) @parameter
  (rest_pattern (identifier) @parameter)
  (object_pattern [
    (shorthand_property_identifier_pattern) @parameter
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @parameter)
    (pair_pattern value: [
      (identifier) @parameter
      (assignment_pattern left: (identifier) @parameter)
      (object_pattern [
        (shorthand_property_identifier_pattern) @parameter
        (object_assignment_pattern left: (shorthand_property_identifier_pattern) @parameter)])])
    (rest_pattern (identifier) @parameter)])
  (array_pattern [
    (identifier) @parameter
    (assignment_pattern left: (identifier) @parameter)
    (rest_pattern (identifier) @parameter)])]))
  body: (_) @owner)

;; more variants
(function_signature name: (_) @first)
(method_signature name: (_) @first)
(abstract_method_signature name: (_) @first)
(interface_declaration name: (_) @first @again)
(internal_module name: (_) @first @again)
(module name: (_) @first @again)
(enum_declaration name: (_) @first @again)

;; more signatures
(function_signature name: (_) @name parameters: (_) @parameters) @function
(method_signature name: (_) @name parameters: (_) @parameters) @function
(abstract_method_signature name: (_) @name parameters: (_) @parameters) @function
(public_field_definition
  name: (_) @name
  value: (arrow_function "async"? @async parameters: (_) @parameters)) @function

;; more shape
(interface_body) @block
(enum_body) @block
(type_alias_declaration value: (object_type) @block)
[(type_arguments) (type_parameters) (tuple_type)] @bracket
[
  (public_field_definition) (abstract_class_declaration) (interface_declaration) (enum_declaration)
  (type_alias_declaration) (internal_module) (module) (function_signature) (method_signature)
] @definition
