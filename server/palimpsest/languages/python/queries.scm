; What palimpsest asks of a Python tree; `languages/base.py` says what the sections and captures mean.

;; scopes
(function_definition
  name: (_) @name
  body: (_) @body) @function

(class_definition
  name: (_) @name
  body: (_) @body) @class

(decorated_definition
  definition: (function_definition
    name: (_) @name
    body: (_) @body) @function) @outer

(decorated_definition
  definition: (class_definition
    name: (_) @name
    body: (_) @body) @class) @outer

;; imports
(import_statement) @import
(import_from_statement) @import
(future_import_statement) @import
(import_statement name: (dotted_name) @module) @import
(import_statement name: (aliased_import name: (_) @module alias: (_) @alias)) @import
(import_from_statement module_name: (dotted_name) @module name: (dotted_name) @name) @import
(import_from_statement
  module_name: (dotted_name) @module
  name: (aliased_import name: (_) @name alias: (_) @alias)) @import
(import_from_statement module_name: (dotted_name) @module (wildcard_import) @name) @import
(import_from_statement
  module_name: (relative_import (import_prefix) @level (dotted_name) @module)
  name: (dotted_name) @name) @import
(import_from_statement
  module_name: (relative_import (import_prefix) @level (dotted_name) @module)
  name: (aliased_import name: (_) @name alias: (_) @alias)) @import
(import_from_statement
  module_name: (relative_import (import_prefix) @level (dotted_name) @module)
  (wildcard_import) @name) @import
(import_from_statement module_name: (relative_import (import_prefix) @level .) name: (dotted_name) @name) @import
(import_from_statement
  module_name: (relative_import (import_prefix) @level .)
  name: (aliased_import name: (_) @name alias: (_) @alias)) @import
(import_from_statement module_name: (relative_import (import_prefix) @level .) (wildcard_import) @name) @import
(future_import_statement "__future__" @module name: (dotted_name) @name) @import
(future_import_statement "__future__" @module name: (aliased_import name: (_) @name alias: (_) @alias)) @import

;; names
(identifier) @name
(attribute attribute: (identifier) @unused)
(keyword_argument name: (identifier) @unused)
(import_statement name: (dotted_name (identifier) @unused))
(import_from_statement (dotted_name (identifier) @unused))
(import_from_statement (relative_import (dotted_name (identifier) @unused)))
(future_import_statement (dotted_name (identifier) @unused))
(aliased_import (dotted_name (identifier) @unused))
(aliased_import alias: (identifier) @unused)
(function_definition name: (identifier) @unused)
(class_definition name: (identifier) @unused)
(dotted_name (identifier) (identifier) @unused)

;; parameters
(function_definition
  parameters: (parameters (_) @parameter))

;; assignments
(assignment
  left: (_) @target
  type: (_)? @type
  right: (_)? @value) @assignment

(type_alias_statement
  left: (type (identifier) @target)) @assignment

(named_expression name: (identifier) @target) @assignment
(for_statement left: (_) @target) @assignment
(as_pattern alias: (as_pattern_target) @target) @assignment

;; bases
(class_definition superclasses: (argument_list [
  (identifier) @base
  (attribute attribute: (identifier) @base)
  (subscript value: (identifier) @base)
  (keyword_argument value: (identifier) @base)]))

;; binds
(function_definition name: (identifier) @name)
(class_definition name: (identifier) @name)
(parameters (_) @target)
(lambda_parameters (_) @target)
(assignment left: (_) @target)
(named_expression name: (identifier) @name)
(for_statement left: (_) @target)
(for_in_clause left: (_) @target)
(as_pattern_target) @target
(case_pattern (as_pattern (identifier) @name))
(case_pattern (dotted_name . (identifier) @name .))
(keyword_pattern (identifier) @name)
(keyword_pattern (dotted_name . (identifier) @name .))
(splat_pattern (identifier) @name)
(type_parameter (type (identifier) @name))
(type_alias_statement left: (type (identifier) @name))
(type_alias_statement left: (type (generic_type . (identifier) @name)))
(import_statement name: (dotted_name . (identifier) @name))
(aliased_import alias: (identifier) @name)
(import_from_statement name: (dotted_name (identifier) @name))
(global_statement (identifier) @name)
(nonlocal_statement (identifier) @name)

;; verbatim
(string) @verbatim

;; comments
(comment) @comment

;; documented
(block . (expression_statement (string)) . (expression_statement (string)) @again)
(module . (comment)* . (expression_statement (string)) . (expression_statement (string)) @again)

;; roles
(module) @scope.file
(function_definition body: (_) @scope.function)
(lambda body: (_) @scope.function)
(class_definition name: (_) @scope.name body: (_) @scope.class)
(list_comprehension) @scope.inner
(set_comprehension) @scope.inner
(dictionary_comprehension) @scope.inner
(generator_expression) @scope.inner
; The first iterable is evaluated around a comprehension.
(list_comprehension body: (_) . (for_in_clause right: (_) @outside))
(set_comprehension body: (_) . (for_in_clause right: (_) @outside))
(dictionary_comprehension body: (_) . (for_in_clause right: (_) @outside))
(generator_expression body: (_) . (for_in_clause right: (_) @outside))
(function_definition name: (identifier) @function)
(class_definition name: (identifier) @class)
(function_definition
  parameters: (parameters [
    (identifier) @parameter
    (typed_parameter [
      (identifier) @parameter
      (list_splat_pattern (identifier) @parameter)
      (dictionary_splat_pattern (identifier) @parameter)])
    (default_parameter name: (identifier) @parameter)
    (typed_default_parameter name: (identifier) @parameter)
    (list_splat_pattern (identifier) @parameter)
    (dictionary_splat_pattern (identifier) @parameter)])
  body: (_) @owner)
(lambda
  parameters: (lambda_parameters [
    (identifier) @parameter
    (default_parameter name: (identifier) @parameter)
    (list_splat_pattern (identifier) @parameter)
    (dictionary_splat_pattern (identifier) @parameter)])
  body: (_) @owner)
(assignment left: (identifier) @assigned)
(assignment left: (attribute attribute: (identifier) @member.assigned))
(augmented_assignment left: (identifier) @assigned)
(for_statement left: (identifier) @assigned)
(for_in_clause left: (identifier) @assigned)
(pattern_list (identifier) @assigned)
(pattern_list (attribute attribute: (identifier) @member.assigned))
(tuple_pattern (identifier) @assigned)
(list_pattern (identifier) @assigned)
(list_splat_pattern (identifier) @assigned)
(as_pattern_target (identifier) @assigned)
(type_alias_statement left: (type (identifier) @assigned))
(named_expression name: (identifier) @assigned.around)
(case_pattern (dotted_name . (identifier) @assigned .))
(case_pattern (splat_pattern (identifier) @assigned))
(delete_statement (identifier) @assigned)
(global_statement (identifier) @declared.file)
(nonlocal_statement (identifier) @declared.around)
(attribute attribute: (identifier) @member)
(keyword_argument name: (identifier) @keyword)
(keyword_pattern . (identifier) @keyword)
(import_statement name: (dotted_name . (identifier) @import))
(import_statement name: (dotted_name (identifier) . (identifier) @module))
(import_from_statement module_name: (_ (identifier) @module))
(import_from_statement module_name: (_ (dotted_name (identifier) @module)))
(import_from_statement name: (dotted_name (identifier) @import))
(aliased_import name: (dotted_name (identifier) @imported))
(aliased_import alias: (identifier) @import)

;; variants
(if_statement [(elif_clause) (else_clause)] @branch)
(try_statement (except_clause) @branch)
(match_statement body: (block (case_clause) @branch))
((decorated_definition
  (decorator [(identifier) @_said (attribute attribute: (identifier) @_said)])
  definition: (function_definition name: (_) @first))
  (#eq? @_said "overload"))
(decorated_definition
  (decorator [
    (attribute object: (identifier) @head)
    (attribute object: (attribute object: (identifier) @head))
    (call function: (attribute object: (identifier) @head))])
  definition: (function_definition name: (_) @again))

;; calls
(call function: (identifier) @function arguments: (argument_list) @arguments) @call
(call function: (attribute attribute: (identifier) @function) arguments: (argument_list) @arguments) @call

;; signatures
(function_definition "async"? @async name: (identifier) @name parameters: (parameters) @parameters) @function

;; pairs
(call arguments: (argument_list) @elements) @pair
(binary_operator left: (_) @first right: (_) @second) @pair
(comparison_operator . (_) @first . (_) @second .) @pair
(boolean_operator left: (_) @first right: (_) @second) @pair
(conditional_expression . (_) @first . (_) . (_) @second .) @pair
(assignment left: (_) @first right: (_) @second) @pair
(pattern_list) @pair @elements
(expression_list) @pair @elements
(tuple) @pair @elements
(list) @pair @elements

;; shape
(block) @block
(string) @string
(comment) @comment
(string_start) @quote
[
  (argument_list) (parameters) (parenthesized_expression) (tuple) (tuple_pattern) (list) (list_pattern) (set)
  (dictionary) (list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression) (subscript)
  (type_parameter)
] @bracket
(ERROR) @error
(function_definition) @definition
(class_definition) @definition
(decorated_definition) @definition

;; indented
(module) @together
(block) @together @block
(decorated_definition) @together
(elif_clause) @clause
(else_clause) @clause
(except_clause) @clause
(finally_clause) @clause
(try_statement) @needs_clause
(import_from_statement "," @needs_name)
