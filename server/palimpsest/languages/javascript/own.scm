; What palimpsest asks of a JavaScript tree alone.

;; more scopes
(class_body (field_definition
  property: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function)

;; more names
; Elements of HTML, whose names begin in lower case, where the grammar has them.
(_ . ["<" "</"] . name: (identifier) @unused (#match? @unused "^[a-z]"))

;; more roles
(class_body (field_definition property: (_) @assigned))
(_ parameters: (formal_parameters [
  (identifier) @parameter
  (assignment_pattern left: (identifier) @parameter)
  (rest_pattern (identifier) @parameter)])
  body: (_) @owner)
(_ parameters: (formal_parameters [
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
    (rest_pattern (identifier) @parameter)])
  (assignment_pattern left: (object_pattern [
    (shorthand_property_identifier_pattern) @parameter
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @parameter)
    (pair_pattern value: [(identifier) @parameter (assignment_pattern left: (identifier) @parameter)])
    (rest_pattern (identifier) @parameter)]))])
  body: (_) @owner)

;; more signatures
(field_definition
  property: (_) @name
  value: (arrow_function "async"? @async parameters: (_) @parameters)) @function

;; more shape
[
  (arguments) (formal_parameters) (parenthesized_expression) (array) (array_pattern) (object) (object_pattern)
  (named_imports) (export_clause) (template_substitution) (subscript_expression)
] @bracket
[
  (function_declaration) (generator_function_declaration) (class_declaration) (method_definition) (field_definition)
  (export_statement)
] @definition
