; What palimpsest asks of a Ruby tree; `base.py` says what the sections and captures mean.

;; scopes
; An empty body has no node: the word that ends the definition stands for it.
(method name: (_) @name body: (_) @body) @function
(method name: (_) @name !body "end" @body) @function
(singleton_method name: (_) @name body: (_) @body) @function
(singleton_method name: (_) @name !body "end" @body) @function
(class name: (constant) @name body: (_) @body) @class
(class name: (constant) @name !body "end" @body) @class
(class name: (scope_resolution scope: (_) @owner name: (constant) @name) body: (_) @body) @class
(class name: (scope_resolution scope: (_) @owner name: (constant) @name) !body "end" @body) @class
(module name: (constant) @name body: (_) @body) @namespace
(module name: (constant) @name !body "end" @body) @namespace
(module name: (scope_resolution scope: (_) @owner name: (constant) @name) body: (_) @body) @namespace
; A module that has methods can be mixed into classes, and is used like one.
(module name: (_) @name body: (body_statement [(method) (singleton_method) (singleton_class)]) @body) @class
(singleton_class value: (_) @name body: (_) @body) @class
(assignment
  left: (constant) @name
  right: (call receiver: (constant) @_made method: (identifier) @_new block: (_ body: (_) @body))
  (#any-of? @_made "Class" "Struct" "Data" "Module") (#any-of? @_new "new" "define")) @class
; Blocks with a description or a name: tests, tasks.
(program (call
  arguments: (argument_list . [
    (string (string_content) @name) (simple_symbol) @name (constant) @name (scope_resolution) @name
    (pair . (hash_key_symbol) @name)])
  block: (do_block body: (_) @body)) @function @described)
(do_block body: (body_statement (call
  !receiver
  arguments: (argument_list . [
    (string (string_content) @name) (simple_symbol) @name (constant) @name (scope_resolution) @name
    (pair . (hash_key_symbol) @name)])
  block: (do_block body: (_) @body)) @function @described))
(class body: (body_statement (call
  !receiver
  arguments: (argument_list . [(string (string_content) @name) (simple_symbol) @name])
  block: (do_block body: (_) @body)) @function))

;; imports
(call
  !receiver
  method: (identifier) @_require
  arguments: (argument_list . (string . (string_content) @module .) .)
  (#any-of? @_require "require" "require_relative" "load")) @import

;; names
(identifier) @name
(constant) @name
(call receiver: (_) method: (_) @unused)
(scope_resolution scope: (_) name: (_) @unused)
(method name: (_) @unused)
(singleton_method name: (_) @unused)
(class name: (constant) @unused)
(module name: (constant) @unused)
(alias (identifier) @unused)
(undef (identifier) @unused)
(keyword_parameter name: (_) @unused)

;; parameters
(method parameters: (method_parameters (_) @parameter))
(singleton_method parameters: (method_parameters (_) @parameter))

;; assignments
(assignment left: (_) @target right: (_) @value) @assignment
(operator_assignment left: [(identifier) (constant) (instance_variable) (class_variable)] @target) @assignment
(for pattern: (_) @target) @assignment
(exception_variable (identifier) @target) @assignment
(as_pattern name: (identifier) @target) @assignment
(block_parameters (_) @target) @assignment
(call
  !receiver
  method: (identifier) @_declares
  arguments: (argument_list (simple_symbol) @target)
  (#any-of? @_declares "attr_accessor" "attr_reader" "attr_writer")) @assignment
(call
  !receiver
  method: (identifier) @_declares
  arguments: (argument_list . (simple_symbol) @target)
  (#any-of? @_declares "attribute" "belongs_to" "define_method" "delegate" "enum" "field" "has_and_belongs_to_many"
    "has_many" "has_one" "let" "let!" "property" "scope" "subject")) @assignment

;; bases
(superclass [(constant) @base (scope_resolution name: (constant) @base)])

;; mixins
(call
  method: (identifier) @_mixes
  arguments: (argument_list [(constant) @mixin (scope_resolution name: (constant) @mixin)])
  (#any-of? @_mixes "include" "extend" "prepend"))

;; binds
(method name: (identifier) @name)
(singleton_method name: (identifier) @name)
(class name: (constant) @name)
(module name: (constant) @name)
(method_parameters (_) @target)
(block_parameters (_) @target)
(lambda_parameters (_) @target)
(assignment left: (_) @target)
(operator_assignment left: (_) @target)
(for pattern: (_) @target)
(exception_variable (identifier) @name)
(as_pattern name: (identifier) @name)
(array_pattern (identifier) @name)
(find_pattern (identifier) @name)
(keyword_pattern value: (identifier) @name)
(in_clause pattern: (identifier) @name)
(splat_parameter (identifier) @name)
(alias . (identifier) @name)
(call arguments: (argument_list (simple_symbol) @target))

;; verbatim
(string) @verbatim
(subshell) @verbatim
(regex) @verbatim
(heredoc_body) @verbatim

;; comments
(comment) @comment

;; roles
(program) @scope.file
(method body: (_) @scope.function)
(singleton_method body: (_) @scope.function)
(class name: (_) @scope.name body: (_) @scope.class)
(module name: (_) @scope.name body: (_) @scope.class)
(block) @scope.inner
(do_block) @scope.inner
(lambda) @scope.inner
(method name: (identifier) @function)
(method name: (setter name: (identifier) @function))
(singleton_method name: (identifier) @function)
(class name: (constant) @class)
(module name: (constant) @class)
(method parameters: (method_parameters [
  (identifier) @parameter
  (_ name: (identifier) @parameter)
  (destructured_parameter (identifier) @parameter)]) body: (_) @owner)
(singleton_method parameters: (method_parameters [
  (identifier) @parameter
  (_ name: (identifier) @parameter)
  (destructured_parameter (identifier) @parameter)]) body: (_) @owner)
(block_parameters (identifier) @assigned)
(block_parameters (_ name: (identifier) @assigned))
(block_parameters (destructured_parameter (identifier) @assigned))
(lambda_parameters (identifier) @assigned)
(lambda_parameters (_ name: (identifier) @assigned))
(assignment left: (identifier) @assigned.around)
(assignment left: (constant) @assigned.around)
(left_assignment_list (identifier) @assigned.around)
(destructured_left_assignment (identifier) @assigned.around)
(rest_assignment (identifier) @assigned.around)
(operator_assignment left: (identifier) @assigned.around)
(for pattern: (identifier) @assigned.around)
(exception_variable (identifier) @assigned.around)
(as_pattern name: (identifier) @assigned.around)
(instance_variable) @member
(assignment left: (instance_variable) @member.assigned)
(operator_assignment left: (instance_variable) @member.assigned)
(left_assignment_list (instance_variable) @member.assigned)
(call receiver: (_) method: (identifier) @member)
(scope_resolution scope: (_) name: (_) @member)
(pair key: (hash_key_symbol) @keyword)

;; variants
(if alternative: (_) @branch)
(elsif alternative: (_) @branch)
(unless alternative: (_) @branch)
(case (when) @branch)
(case (else) @branch)
(begin (rescue) @branch)
(class name: (_) @first @again)
(module name: (_) @first @again)
(method name: (setter name: (_) @first @again))

;; calls
(call method: [(identifier) (constant)] @function arguments: (argument_list . "(") @arguments) @call

;; signatures
(method name: (identifier) @name parameters: (method_parameters) @parameters) @function
(singleton_method name: (identifier) @name parameters: (method_parameters) @parameters) @function

;; pairs
(call arguments: (argument_list . "(") @elements) @pair
(binary left: (_) @first right: (_) @second) @pair
(conditional consequence: (_) @first alternative: (_) @second) @pair
(assignment left: (_) @first right: (_) @second) @pair
(left_assignment_list) @pair @elements
(right_assignment_list) @pair @elements
(array) @pair @elements

;; shape
(string) @string
(heredoc_body) @string
(regex) @string
(string . _ @quote)
(comment) @comment
[
  (argument_list) (method_parameters) (parenthesized_statements) (array) (hash) (string_array) (symbol_array)
  (element_reference) (block) (lambda_parameters)
] @bracket
(ERROR) @error
(method) @definition
(singleton_method) @definition
(class) @definition
(module) @definition
(call block: (do_block)) @definition
