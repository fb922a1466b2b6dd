; What palimpsest asks of a JavaScript tree, and of a TypeScript tree as far as they agree (`own.scm` has the rest);
; `languages/base.py` says what the sections and captures mean.

;; scopes
(function_declaration name: (_) @name body: (_) @body) @function
(generator_function_declaration name: (_) @name body: (_) @body) @function
(class_declaration name: (_) @name body: (_) @body) @class
(class_body (method_definition name: (_) @name body: (_) @body) @function)
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
(import_statement (import_clause (identifier) @default) source: (_) @module) @import
(import_statement (import_clause (namespace_import (identifier) @whole)) source: (_) @module) @import
(import_statement
  (import_clause (named_imports (import_specifier name: _ @name alias: (_)? @alias))) source: (_) @module) @import
(lexical_declaration (variable_declarator
  name: [
    (identifier) @whole
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (pair_pattern key: (_) @name value: (identifier) @alias)])]
  value: [
    (call_expression function: (identifier) @_require arguments: (arguments . (string) @module))
    (member_expression
      object: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module))
      property: (_) @name)
    (await_expression (call_expression function: (import) arguments: (arguments . (string) @module)))])
  (#eq? @_require "require")) @import
(variable_declaration (variable_declarator
  name: [
    (identifier) @whole
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (pair_pattern key: (_) @name value: (identifier) @alias)])]
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @module)))
  (#eq? @_require "require")) @import

;; names
(identifier) @name
(shorthand_property_identifier) @name
(function_declaration name: (_) @unused)
(generator_function_declaration name: (_) @unused)
(class_declaration name: (_) @unused)
(import_clause (identifier) @unused)
(namespace_import (identifier) @unused)
(import_specifier name: (identifier) @unused)
(import_specifier alias: (identifier) @unused)
(namespace_export (identifier) @unused)
(export_specifier alias: (identifier) @unused)
(export_statement (export_clause (export_specifier name: (identifier) @unused)) source: (_))

;; parameters
(_ value: (arrow_function parameter: (identifier) @parameter))
(_ right: (arrow_function parameter: (identifier) @parameter))

;; assignments
(for_statement initializer: (_ (variable_declarator name: (_) @target value: (_)? @value))) @local
(for_in_statement kind: _ left: (_) @target) @local
(catch_clause parameter: (_) @target) @local
(variable_declarator value: (object (pair key: (property_identifier) @target value: (_) @value))) @member
(variable_declarator value: (object (shorthand_property_identifier) @target)) @member
(assignment_expression left: (member_expression object: (this) property: (_)) @target right: (_) @value)

;; bases
(class_heritage (identifier) @base)
(class_heritage (member_expression property: (property_identifier) @base))

;; exports
(export_statement !source (export_clause (export_specifier name: _ @local alias: _? @name))) @statement
(export_statement !source declaration: (_) @declared) @statement
(export_statement !source value: (_) @value) @statement
((expression_statement (assignment_expression left: (member_expression) @_all right: (_) @value)) @statement
  (#eq? @_all "module.exports"))
((expression_statement (assignment_expression
  left: (member_expression) @_all
  right: (object (shorthand_property_identifier) @local))) @statement
  (#eq? @_all "module.exports"))
((expression_statement (assignment_expression
  left: (member_expression) @_all
  right: (object (pair key: (property_identifier) @name value: (_) @value)))) @statement
  (#eq? @_all "module.exports"))
((expression_statement (assignment_expression
  left: (member_expression object: (_) @_own property: (_) @name) right: (_) @value)) @statement
  (#match? @_own "^(module\\.)?exports$"))

;; passed_on
(export_statement "*" @all source: (string) @module) @statement
(export_statement (namespace_export (_) @whole) source: (string) @module) @statement
(export_statement
  (export_clause (export_specifier name: _ @name alias: _? @alias)) source: (string) @module) @statement
((expression_statement (assignment_expression
  left: (member_expression) @all
  right: (call_expression function: (identifier) @_loads arguments: (arguments . (string) @module)))) @statement
  (#eq? @all "module.exports") (#eq? @_loads "require"))
((expression_statement (assignment_expression
  left: (member_expression object: (_) @_own property: (_) @whole)
  right: (call_expression function: (identifier) @_loads arguments: (arguments . (string) @module)))) @statement
  (#match? @_own "^(module\\.)?exports$") (#eq? @_loads "require"))

;; aliases
(variable_declarator name: (identifier) @alias value: (identifier) @class (#match? @class "^[A-Z]"))

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

;; verbatim
(string) @verbatim
(template_string) @verbatim
(regex) @verbatim

;; comments
(comment) @comment

;; documented
((comment) @first . (comment) @again . [
  (function_declaration) (generator_function_declaration) (class_declaration) (export_statement) (method_definition)
  (lexical_declaration)]
  (#match? @first "^/[*][*]")
  (#match? @again "^/[*][*]"))

;; roles
(program) @scope.file
(_ parameters: (formal_parameters) body: (_) @scope.function)
(arrow_function body: (_) @scope.function)
(class_declaration name: (_) @scope.name body: (_) @scope.class)
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
(variable_declarator name: (identifier) @class value: (class))
(class_body (method_definition name: (_) @function))
(variable_declarator value: (object (method_definition name: (_) @function)))
(variable_declarator value: (object
  (pair key: (property_identifier) @assigned value: [(arrow_function) (function_expression)])))
(variable_declarator value: (object
  (pair key: (property_identifier) @assigned)
  [(method_definition) (pair value: [(arrow_function) (function_expression)])]))
(variable_declarator value: (object
  [(method_definition) (pair value: [(arrow_function) (function_expression)])]
  (pair key: (property_identifier) @assigned)))
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
(assignment_expression
  left: (member_expression object: [(identifier) (member_expression)] @_exports property: (_) @use.given_to_others)
  right: (identifier) @_given
  (#any-of? @_exports "exports" "module.exports")
  (#eq? @use.given_to_others @_given))
(assignment_expression
  left: (member_expression) @_exports
  right: (object (pair key: (property_identifier) @use.given_to_others value: (identifier) @_given))
  (#eq? @_exports "module.exports")
  (#eq? @use.given_to_others @_given))
(export_statement (export_clause (export_specifier name: (identifier) @imported)) source: (_))
(namespace_export (identifier) @member)
(lexical_declaration (variable_declarator
  name: [
    (identifier) @import.required
    (object_pattern [
      (shorthand_property_identifier_pattern) @import.required
      (pair_pattern key: (property_identifier) @imported value: (identifier) @import.required)])]
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string))))
  (#eq? @_require "require"))

;; variants
(class_body (method_definition ["get" "set"] name: (_) @alike))
(class_body (method_definition "static" ["get" "set"] name: (_) @alike.static))
(class_body (method_definition "static" name: (_) @other))
(object (method_definition ["get" "set"] name: (_) @alike))

;; calls
(call_expression function: (identifier) @function arguments: (arguments) @arguments) @call
(call_expression
  function: (member_expression property: [(property_identifier) (private_property_identifier)] @function)
  arguments: (arguments) @arguments) @call
(new_expression constructor: (identifier) @function arguments: (arguments) @arguments) @call
(new_expression
  constructor: (member_expression property: (property_identifier) @function)
  arguments: (arguments) @arguments) @call

;; signatures
(function_declaration "async"? @async name: (_) @name parameters: (_) @parameters) @function
(generator_function_declaration name: (_) @name parameters: (_) @parameters) @function
(method_definition "async"? @async name: (_) @name parameters: (_) @parameters) @function
(variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function "async"? @async parameters: (_) @parameters)
    (function_expression "async"? @async parameters: (_) @parameters)]) @function
(pair
  key: (property_identifier) @name
  value: [
    (arrow_function "async"? @async parameters: (_) @parameters)
    (function_expression "async"? @async parameters: (_) @parameters)]) @function

;; pairs
(call_expression arguments: (arguments) @elements) @pair
(new_expression arguments: (arguments) @elements) @pair
(binary_expression left: (_) @first right: (_) @second) @pair
(ternary_expression consequence: (_) @first alternative: (_) @second) @pair
(assignment_expression left: (_) @first right: (_) @second) @pair
(array) @pair @elements
(array_pattern) @pair @elements

;; shape
(statement_block) @block
(class_body) @block
(switch_body) @block
(string) @string
(template_string) @string
(regex) @string
(comment) @comment
(ERROR) @error
[
  (arguments) (formal_parameters) (parenthesized_expression) (array) (array_pattern) (object) (object_pattern)
  (named_imports) (export_clause) (template_substitution) (subscript_expression)
] @bracket
[
  (function_declaration) (generator_function_declaration) (class_declaration) (method_definition) (export_statement)
] @definition
(lexical_declaration (variable_declarator value: [(arrow_function) (function_expression) (class)])) @definition
