; What palimpsest asks of a TypeScript tree beside what it asks of a JavaScript tree; what stands here replaces that.

;; scopes
(function_declaration name: (_) @name body: (_) @body) @function
(generator_function_declaration name: (_) @name body: (_) @body) @function
(class_declaration name: (_) @name body: (_) @body) @class
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
(class_body (method_definition name: (_) @name body: (_) @body) @function)
(class_body (public_field_definition
  name: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function)
; A value with a name: a function, a class, an object that has functions.
(lexical_declaration (variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)])) @function
(variable_declaration (variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)])) @function
(lexical_declaration (variable_declarator
  name: (identifier) @name
  value: (call_expression
    function: [(identifier) @_wraps (member_expression property: (property_identifier) @_wraps)]
    arguments: (arguments . [
      (arrow_function body: (statement_block) @body)
      (function_expression body: (statement_block) @body)])
    (#any-of? @_wraps "memo" "forwardRef" "useCallback" "observer" "debounce" "throttle")))) @function
(lexical_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @class
(lexical_declaration (variable_declarator
  name: (identifier) @name
  value: (object [
    (method_definition)
    (pair value: [(arrow_function) (function_expression)])]) @body)) @class
(variable_declaration (variable_declarator
  name: (identifier) @name
  value: (object [
    (method_definition)
    (pair value: [(arrow_function) (function_expression)])]) @body)) @class
(variable_declarator value: (object [
  (method_definition name: (_) @name body: (_) @body) @function
  (pair
    key: (property_identifier) @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function]))
; An object without a name of its own: its functions belong to what it is given to.
(pair key: (property_identifier) @owner value: (object [
  (method_definition name: (_) @name body: (_) @body) @function
  (pair
    key: (property_identifier) @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function]))
(call_expression
  function: [(identifier) @owner (member_expression property: (property_identifier) @owner)]
  arguments: (arguments (object [
    (method_definition name: (_) @name body: (_) @body) @function
    (pair
      key: (property_identifier) @name
      value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function])))
(return_statement "return" @owner (object [
  (method_definition name: (_) @name body: (_) @body) @function
  (pair
    key: (property_identifier) @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function]))
(assignment_expression left: (_) @owner right: (object [
  (method_definition name: (_) @name body: (_) @body) @function
  (pair
    key: (property_identifier) @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function]))
(export_statement "default" @owner value: (object [
  (method_definition name: (_) @name body: (_) @body) @function
  (pair
    key: (property_identifier) @name
    value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function]))
; What a module exports without a name.
(export_statement "default" @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)
  (generator_function body: (_) @body)] @function)
(export_statement "default" @name value: (class body: (_) @body) @class)
; Functions that are assigned: to what a module exports, to a class, to an object.
(expression_statement (assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression)] @_exports
    property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)])
  (#any-of? @_exports "exports" "module.exports")) @function
(expression_statement (assignment_expression
  left: (member_expression
    object: (member_expression object: (_) @owner property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)])
  (#eq? @_prototype "prototype")) @function
(expression_statement (assignment_expression
  left: (member_expression object: [(identifier) (this)] @owner property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)])
  (#not-any-of? @owner "exports" "module")) @function
(assignment_expression
  left: (_) @_exports
  right: (class name: (_) @name body: (_) @body) @class
  (#any-of? @_exports "exports" "module.exports"))

;; imports
(import_statement source: (_)) @import
(import_statement (import_require_clause)) @import
(lexical_declaration (variable_declarator value: (call_expression
  function: (identifier) @_require
  arguments: (arguments . (string)))) (#eq? @_require "require")) @import
(variable_declaration (variable_declarator value: (call_expression
  function: (identifier) @_require
  arguments: (arguments . (string)))) (#eq? @_require "require")) @import
(lexical_declaration (variable_declarator value: (member_expression object: (call_expression
  function: (identifier) @_require
  arguments: (arguments . (string))))) (#eq? @_require "require")) @import
(lexical_declaration (variable_declarator value: (await_expression (call_expression
  function: (import)
  arguments: (arguments . (string)))))) @import

;; names
(identifier) @name
(shorthand_property_identifier) @name
(function_declaration name: (_) @unused)
(generator_function_declaration name: (_) @unused)
(type_identifier) @name
(class_declaration name: (_) @unused)
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
(import_clause (identifier) @unused)
(namespace_import (identifier) @unused)
(import_specifier name: (identifier) @unused)
(import_specifier alias: (identifier) @unused)
(namespace_export (identifier) @unused)
(export_specifier alias: (identifier) @unused)
(export_statement (export_clause (export_specifier name: (identifier) @unused)) source: (_))

;; attributes
(member_expression object: (identifier) @head property: (property_identifier) @attr)
(nested_type_identifier module: (identifier) @head name: (_) @attr)

;; parameters
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
(_ value: (arrow_function parameter: (identifier) @parameter))
(_ right: (arrow_function parameter: (identifier) @parameter))

;; assignments
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
(for_statement initializer: (_ (variable_declarator name: (_) @target value: (_)? @value))) @local
(for_in_statement kind: _ left: (_) @target) @local
(catch_clause parameter: (_) @target) @local
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
(variable_declarator value: (object (pair key: (property_identifier) @target value: (_) @value))) @member
(variable_declarator value: (object (shorthand_property_identifier) @target)) @member
(assignment_expression left: (member_expression object: (this) property: (_)) @target right: (_) @value)

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

;; aliases
(variable_declarator name: (identifier) @alias value: (identifier) @class (#match? @class "^[A-Z]"))
(type_alias_declaration name: (_) @alias value: (type_identifier) @class)
(type_alias_declaration name: (_) @alias value: (generic_type name: (type_identifier) @class))

;; binds
(function_declaration name: (identifier) @name)
(generator_function_declaration name: (identifier) @name)
(function_expression name: (identifier) @name)
(generator_function name: (identifier) @name)
(class_declaration name: (_) @name)
(class name: (_) @name)
(_ parameters: (formal_parameters (_) @target))
(arrow_function parameter: (identifier) @name)
(variable_declarator name: (_) @target)
(for_in_statement kind: _ left: (_) @target)
(catch_clause parameter: (_) @target)
(import_clause (identifier) @name)
(namespace_import (identifier) @name)
(import_specifier name: (identifier) @name !alias)
(import_specifier alias: (identifier) @name)
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

;; documented
((comment) @first . (comment) @again . [
  (function_declaration) (generator_function_declaration) (class_declaration) (export_statement) (method_definition)
  (lexical_declaration) (interface_declaration) (type_alias_declaration) (enum_declaration)]
  (#match? @first "^/[*][*]")
  (#match? @again "^/[*][*]"))

;; roles
(program) @scope.file
(_ parameters: (formal_parameters) body: (_) @scope.function)
(arrow_function body: (_) @scope.function)
(class_declaration name: (_) @scope.name body: (_) @scope.class)
(abstract_class_declaration name: (_) @scope.name body: (_) @scope.class)
(interface_declaration name: (_) @scope.name body: (_) @scope.class)
(enum_declaration name: (_) @scope.name body: (_) @scope.class)
(type_alias_declaration name: (_) @scope.name value: (object_type) @scope.class)
(internal_module body: (_) @scope.function)
(module body: (_) @scope.function)
(variable_declarator name: (identifier) @scope.name value: (class body: (_) @scope.class))
(variable_declarator name: (identifier) @scope.name value: (object [
  (method_definition)
  (pair value: [(arrow_function) (function_expression)])]) @scope.class)
(class body: (_) @scope.class)
(statement_block) @scope.inner
(for_statement) @scope.inner
(for_in_statement) @scope.inner
(catch_clause) @scope.inner
(switch_body) @scope.inner
(property_identifier) @member
(private_property_identifier) @member
(assignment_expression left: (member_expression property: (_) @member.assigned))
(function_declaration name: (identifier) @function)
(generator_function_declaration name: (identifier) @function)
(class_declaration name: (_) @class)
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
(variable_declarator name: (identifier) @class value: (class))
(class_body (method_definition name: (_) @function))
(class_body (public_field_definition name: (_) @assigned))
(variable_declarator value: (object (method_definition name: (_) @function)))
(variable_declarator value: (object [
  (method_definition)
  (pair value: [(arrow_function) (function_expression)])
  (pair key: (property_identifier) @assigned)]))
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
(arrow_function parameter: (identifier) @parameter body: (_) @owner)
(lexical_declaration (variable_declarator name: (identifier) @assigned))
(lexical_declaration (variable_declarator name: [
  (object_pattern [
    (shorthand_property_identifier_pattern) @assigned
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @assigned)
    (pair_pattern value: [
      (identifier) @assigned
      (assignment_pattern left: (identifier) @assigned)
      (object_pattern [
        (shorthand_property_identifier_pattern) @assigned
        (object_assignment_pattern left: (shorthand_property_identifier_pattern) @assigned)])])
    (rest_pattern (identifier) @assigned)])
  (array_pattern [
    (identifier) @assigned
    (assignment_pattern left: (identifier) @assigned)
    (rest_pattern (identifier) @assigned)])]))
(variable_declaration (variable_declarator name: (identifier) @assigned.around))
(variable_declaration (variable_declarator name: [
  (object_pattern [
    (shorthand_property_identifier_pattern) @assigned.around
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @assigned.around)
    (pair_pattern value: [(identifier) @assigned.around (assignment_pattern left: (identifier) @assigned.around)])
    (rest_pattern (identifier) @assigned.around)])
  (array_pattern [
    (identifier) @assigned.around
    (assignment_pattern left: (identifier) @assigned.around)
    (rest_pattern (identifier) @assigned.around)])]))
(for_in_statement kind: _ left: [
  (identifier) @assigned
  (array_pattern (identifier) @assigned)
  (object_pattern [
    (shorthand_property_identifier_pattern) @assigned
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @assigned)
    (pair_pattern value: (identifier) @assigned)])])
(catch_clause parameter: (identifier) @assigned)
(catch_clause parameter: (object_pattern (shorthand_property_identifier_pattern) @assigned))
(import_clause (identifier) @import)
(namespace_import (identifier) @import)
(import_specifier name: (identifier) @import !alias)
(import_specifier name: (identifier) @imported alias: (_))
(import_specifier alias: (identifier) @import)
(export_specifier alias: (identifier) @member)
(export_statement (export_clause (export_specifier name: (identifier) @imported)) source: (_))
(namespace_export (identifier) @member)
(lexical_declaration (variable_declarator
  name: [
    (identifier) @import
    (object_pattern [
      (shorthand_property_identifier_pattern) @import
      (pair_pattern key: (property_identifier) @imported value: (identifier) @import)])]
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string))))
  (#eq? @_require "require"))

;; signatures
(function_declaration "async"? @async name: (_) @name parameters: (_) @parameters) @function
(generator_function_declaration name: (_) @name parameters: (_) @parameters) @function
(function_signature name: (_) @name parameters: (_) @parameters) @function
(method_definition "async"? @async name: (_) @name parameters: (_) @parameters) @function
(method_signature name: (_) @name parameters: (_) @parameters) @function
(abstract_method_signature name: (_) @name parameters: (_) @parameters) @function
(variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function "async"? @async parameters: (_) @parameters)
    (function_expression "async"? @async parameters: (_) @parameters)]) @function
(public_field_definition
  name: (_) @name
  value: (arrow_function "async"? @async parameters: (_) @parameters)) @function
(pair
  key: (property_identifier) @name
  value: [
    (arrow_function "async"? @async parameters: (_) @parameters)
    (function_expression "async"? @async parameters: (_) @parameters)]) @function

;; shape
(statement_block) @block
(class_body) @block
(switch_body) @block
(interface_body) @block
(enum_body) @block
(type_alias_declaration value: (object_type) @block)
(string) @string
(template_string) @string
(regex) @string
(comment) @comment
[
  (arguments) (formal_parameters) (parenthesized_expression) (array) (array_pattern) (object) (object_pattern)
  (named_imports) (export_clause) (template_substitution) (subscript_expression) (type_arguments) (type_parameters)
  (tuple_type)
] @bracket
(ERROR) @error
[
  (function_declaration) (generator_function_declaration) (class_declaration) (method_definition)
  (public_field_definition) (export_statement) (abstract_class_declaration) (interface_declaration) (enum_declaration)
  (type_alias_declaration) (internal_module) (module) (function_signature) (method_signature)
] @definition
(lexical_declaration (variable_declarator value: [(arrow_function) (function_expression) (class)])) @definition
