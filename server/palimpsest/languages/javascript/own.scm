; What palimpsest asks of a JavaScript tree alone.

;; more scopes
(class_body (field_definition
  property: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function)

;; more names
; Elements of HTML, whose names begin in lower case, where the grammar has them.
(_ . ["<" "</"] . name: (identifier) @unused (#match? @unused "^[a-z]"))

;; more parameters
(function_declaration parameters: (formal_parameters [
  (identifier) (assignment_pattern left: (identifier)) (rest_pattern (identifier))] @parameter))
(generator_function_declaration parameters: (formal_parameters [
  (identifier) (assignment_pattern left: (identifier)) (rest_pattern (identifier))] @parameter))
(method_definition parameters: (formal_parameters [
  (identifier) (assignment_pattern left: (identifier)) (rest_pattern (identifier))] @parameter))
(_ value: (_ parameters: (formal_parameters [
  (identifier) (assignment_pattern left: (identifier)) (rest_pattern (identifier))] @parameter)))
(_ right: (_ parameters: (formal_parameters [
  (identifier) (assignment_pattern left: (identifier)) (rest_pattern (identifier))] @parameter)))
(variable_declarator value: (call_expression arguments: (arguments . (_ parameters: (formal_parameters [
  (identifier) (assignment_pattern left: (identifier)) (rest_pattern (identifier))] @parameter)))))
(function_declaration parameters: (formal_parameters [
  (object_pattern) (array_pattern) (assignment_pattern left: [(object_pattern) (array_pattern)])
  (rest_pattern [(object_pattern) (array_pattern)])] @parameter @several))
(method_definition parameters: (formal_parameters [
  (object_pattern) (array_pattern) (assignment_pattern left: [(object_pattern) (array_pattern)])
  (rest_pattern [(object_pattern) (array_pattern)])] @parameter @several))
(_ value: (_ parameters: (formal_parameters [
  (object_pattern) (array_pattern) (assignment_pattern left: [(object_pattern) (array_pattern)])
  (rest_pattern [(object_pattern) (array_pattern)])] @parameter @several)))
(_ right: (_ parameters: (formal_parameters [
  (object_pattern) (array_pattern) (assignment_pattern left: [(object_pattern) (array_pattern)])
  (rest_pattern [(object_pattern) (array_pattern)])] @parameter @several)))
(variable_declarator value: (call_expression arguments: (arguments . (_ parameters: (formal_parameters [
  (object_pattern) (array_pattern) (assignment_pattern left: [(object_pattern) (array_pattern)])
  (rest_pattern [(object_pattern) (array_pattern)])] @parameter @several)))))

;; more assignments
(program (_ (variable_declarator name: (_) @target !value)))
(program (_ (variable_declarator name: (_) @target value: (_) @value))
  (#not-match? @value "^(require|await import)\\b"))
(export_statement declaration: (_ (variable_declarator name: (_) @target !value)))
(export_statement declaration: (_ (variable_declarator name: (_) @target value: (_) @value)))
(statement_block (lexical_declaration (variable_declarator name: (_) @target value: (_)? @value))) @local
(statement_block (variable_declaration (variable_declarator name: (_) @target value: (_)? @value))) @local
(switch_body (_ body: (lexical_declaration (variable_declarator name: (_) @target value: (_)? @value)))) @local
(class_body (field_definition property: (_) @target value: (_)? @value)) @member
(class_body (field_definition "static" property: (_) @target @static))

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
(field_definition) @definition

;; tags
(jsx_element
  open_tag: (jsx_opening_element name: (_) @opening)
  close_tag: (jsx_closing_element name: (_) @closing))
