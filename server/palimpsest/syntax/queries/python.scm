; What palimpsest asks of a Python tree; `languages.py` says what the sections and captures mean.

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

;; attributes
(attribute
  object: (identifier) @head
  attribute: (identifier) @attr)

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
