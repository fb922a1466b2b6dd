; What palimpsest asks of a Kotlin tree; `languages/base.py` says what the sections and captures mean.

;; scopes
(class_declaration name: (_) @name [(class_body) (enum_class_body)]? @body) @class
(object_declaration name: (_) @name (class_body)? @body) @class
(companion_object "companion" @name (class_body) @body) @class
(enum_entry (identifier) @name (class_body) @body) @class
(function_declaration name: (_) @name (function_body)? @body) @function
(secondary_constructor "constructor" @name (block) @body) @function
(anonymous_initializer "init" @name (block) @body) @function

;; imports
(import) @import

;; packages
(package_header (qualified_identifier) @package)

;; names
(identifier) @name
(navigation_expression (_) (identifier) @unused .)
(user_type (identifier) . (identifier) @unused)
(qualified_identifier (identifier) @unused)
(import (identifier) @unused)
(value_argument . (identifier) @unused . (_))
(class_declaration name: (identifier) @unused)
(object_declaration name: (identifier) @unused)
(function_declaration name: (identifier) @unused)
(enum_entry (identifier) @unused)
(type_alias type: (identifier) @unused)
(return_expression label: (identifier) @unused)
(infix_expression (_) . (identifier) @unused . (_))

;; parameters
(function_declaration (function_value_parameters (parameter) @parameter))
(secondary_constructor (function_value_parameters (parameter) @parameter))

;; assignments
(block (property_declaration (variable_declaration . (identifier) @target . (_) @type)) @local)
(block (property_declaration (variable_declaration . (identifier) @target .) . (_) @value) @local)
(block (property_declaration (multi_variable_declaration (variable_declaration . (identifier) @target))) @local)
(lambda_literal (property_declaration (variable_declaration . (identifier) @target . (_) @type)) @local)
(lambda_literal (property_declaration (variable_declaration . (identifier) @target .) . (_) @value) @local)
(class_body (property_declaration (variable_declaration . (identifier) @target . (_) @type)))
(class_body (property_declaration (variable_declaration . (identifier) @target .)))
(enum_class_body (property_declaration (variable_declaration . (identifier) @target . (_) @type)))
(source_file (property_declaration (variable_declaration . (identifier) @target . (_) @type)))
(source_file (property_declaration (variable_declaration . (identifier) @target .) . (_) @value))
(enum_entry (identifier) @target)
(for_statement (variable_declaration . (identifier) @target)) @local
(for_statement (multi_variable_declaration (variable_declaration . (identifier) @target))) @local
(catch_block . (identifier) @target . (_) @type) @local
(when_subject (variable_declaration . (identifier) @target)) @local

;; bases
(delegation_specifier (user_type . (identifier) @base))
(delegation_specifier (constructor_invocation (user_type . (identifier) @base)))
(delegation_specifier (explicit_delegation (user_type . (identifier) @base)))

;; binds
(class_declaration name: (identifier) @name)
(object_declaration name: (identifier) @name)
(function_declaration name: (identifier) @name)
(enum_entry (identifier) @name)
(type_alias type: (identifier) @name)
(type_parameter (identifier) @name)
(parameter . (identifier) @name)
(class_parameter (identifier) @name)
(setter . (identifier) @name)
(variable_declaration . (identifier) @name)
(catch_block . (identifier) @name)
(import (qualified_identifier (identifier) @name .))
(import (identifier) @name)

;; verbatim
(string_literal) @verbatim
(multiline_string_literal) @verbatim
(character_literal) @verbatim

;; comments
(line_comment) @comment
(block_comment) @comment

;; documented
((block_comment) @first . (block_comment) @again . [(class_declaration) (object_declaration) (function_declaration)]
  (#match? @first "^/[*][*]")
  (#match? @again "^/[*][*]"))

;; roles
(source_file) @scope.file
(class_declaration name: (_) @scope.name (class_body) @scope.class)
(class_declaration name: (_) @scope.name (enum_class_body) @scope.class)
(object_declaration name: (_) @scope.name (class_body) @scope.class)
(companion_object (class_body) @scope.class)
(object_literal (class_body) @scope.class)
(function_declaration (function_body) @scope.function)
(anonymous_function (function_body) @scope.function)
(getter (function_body) @scope.function)
(setter (function_body) @scope.function)
(secondary_constructor (block) @scope.function)
(anonymous_initializer (block) @scope.function)
(lambda_literal) @scope.function
(block) @scope.inner
(for_statement) @scope.inner
(catch_block) @scope.inner
(when_expression) @scope.inner
(class_declaration name: (identifier) @class)
(object_declaration name: (identifier) @class)
(type_alias type: (identifier) @class)
(function_declaration name: (identifier) @function)
(enum_entry (identifier) @assigned)
(function_declaration
  (function_value_parameters (parameter . (identifier) @parameter)) (function_body) @owner)
(anonymous_function (function_value_parameters (parameter . (identifier) @parameter)) (function_body) @owner)
(secondary_constructor (function_value_parameters (parameter . (identifier) @parameter)) (block) @owner)
(class_declaration
  (primary_constructor (class_parameters (class_parameter (identifier) @parameter)))
  [(class_body) (enum_class_body)] @owner)
(setter . (identifier) @parameter (function_body) @owner)
(lambda_literal (lambda_parameters (variable_declaration . (identifier) @parameter))) @owner
(property_declaration (variable_declaration . (identifier) @assigned))
(multi_variable_declaration (variable_declaration . (identifier) @assigned))
(for_statement (variable_declaration . (identifier) @assigned))
(when_subject (variable_declaration . (identifier) @assigned))
(catch_block . (identifier) @assigned)
(navigation_expression (_) (identifier) @member .)
(assignment left: (navigation_expression (_) (identifier) @member.assigned .))
(user_type (identifier) . (identifier) @member)
(value_argument . (identifier) @keyword . (_))
(return_expression label: (identifier) @keyword)
(package_header (qualified_identifier (identifier) @module))
(import (qualified_identifier (identifier) @module . (identifier)))
((import (qualified_identifier (identifier) @module .)) @_import (#match? @_import "[*]\\s*$"))
((import (qualified_identifier (identifier) @import .)) @_import (#not-match? @_import "[*]\\s*$"))
(import (identifier) @import)

;; calls
(call_expression . (identifier) @function (value_arguments) @arguments) @call
(call_expression . (navigation_expression (identifier) @function .) (value_arguments) @arguments) @call

;; signatures
(function_declaration name: (identifier) @name (function_value_parameters) @parameters) @function
(class_declaration name: (identifier) @name (primary_constructor (class_parameters) @parameters)) @function

;; pairs
(call_expression (value_arguments) @elements) @pair
(binary_expression left: (_) @first right: (_) @second) @pair
(assignment left: (_) @first right: (_) @second) @pair

;; shape
[
  (block) (class_body) (enum_class_body) (lambda_literal)
] @block
(string_literal) @string
(multiline_string_literal) @string
(character_literal) @string
(line_comment) @comment
(block_comment) @comment
[
  (value_arguments) (function_value_parameters) (class_parameters) (parenthesized_expression) (type_arguments)
  (type_parameters) (index_expression)
] @bracket
(ERROR) @error
[
  (class_declaration) (object_declaration) (companion_object) (function_declaration) (secondary_constructor)
  (anonymous_initializer)
] @definition
