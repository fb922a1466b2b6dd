; What palimpsest asks of a Rust tree; `languages/base.py` says what the sections and captures mean.

;; scopes
(function_item name: (_) @name body: (_) @body) @function
(function_signature_item name: (_) @name) @function
(macro_definition name: (_) @name . ["{" "(" "["] @body) @function
(struct_item name: (_) @name body: (field_declaration_list) @body) @class
(struct_item name: (_) @name body: (ordered_field_declaration_list)) @class
(struct_item name: (_) @name !body) @class
(enum_item name: (_) @name body: (_) @body) @class
(union_item name: (_) @name body: (_) @body) @class
(trait_item name: (_) @name body: (_) @body) @class
(type_item name: (_) @name) @class
(mod_item name: (_) @name body: (_) @body) @namespace

; A reference's methods are listed with those of what it refers to.
(impl_item type: (type_identifier) @name body: (_) @body) @class @adds
(impl_item type: (scoped_type_identifier name: (_) @name) body: (_) @body) @class @adds
(impl_item type: (generic_type type: (type_identifier) @name) body: (_) @body) @class @adds
(impl_item type: (generic_type type: (scoped_type_identifier name: (_) @name)) body: (_) @body) @class @adds
(impl_item type: (reference_type type: (type_identifier) @name) body: (_) @body) @class @adds
(impl_item type: (reference_type type: (generic_type type: (type_identifier) @name)) body: (_) @body) @class @adds
(impl_item
  type: (reference_type type: [(primitive_type) (array_type) (tuple_type) (dynamic_type) (bounded_type) (reference_type)] @name)
  body: (_) @body) @class @adds
(impl_item
  type: [(primitive_type) (array_type) (tuple_type) (unit_type) (dynamic_type) (bounded_type) (pointer_type)
    (function_type)] @name
  body: (_) @body) @class @adds

;; imports
(use_declaration) @import
(mod_item !body) @import
(extern_crate_declaration) @import

;; names
(identifier) @name
(type_identifier) @name
(shorthand_field_initializer (identifier) @name)
(lifetime (identifier) @unused)
(label (identifier) @unused)
(scoped_identifier path: (_) name: (identifier) @unused)
(scoped_type_identifier path: (_) name: (type_identifier) @unused)
(function_item name: (identifier) @unused)
(function_signature_item name: (identifier) @unused)
(macro_definition name: (identifier) @unused)
(struct_item name: (type_identifier) @unused)
(enum_item name: (type_identifier) @unused)
(union_item name: (type_identifier) @unused)
(trait_item name: (type_identifier) @unused)
(type_item name: (type_identifier) @unused)
(associated_type name: (type_identifier) @unused)
(type_binding name: (type_identifier) @unused)
(enum_variant name: (identifier) @unused)
(mod_item name: (identifier) @unused)
(use_declaration (identifier) @unused)
(use_as_clause (identifier) @unused)
(use_list (identifier) @unused)
(use_wildcard (identifier) @unused)
(scoped_use_list path: (identifier) @unused)
(use_declaration (scoped_identifier (identifier) @unused))
(use_as_clause (scoped_identifier (identifier) @unused))
(use_list (scoped_identifier (identifier) @unused))
(use_wildcard (scoped_identifier (identifier) @unused))
(scoped_use_list path: (scoped_identifier (identifier) @unused))
(scoped_identifier path: (scoped_identifier path: (identifier) @loose))
(extern_crate_declaration (identifier) @unused)
(attribute (identifier) @unused)
(attribute (scoped_identifier (identifier) @unused))
(attribute_item (attribute (token_tree (identifier) @loose)))
(inner_attribute_item (attribute (token_tree (identifier) @loose)))
(visibility_modifier (identifier) @unused)
(token_tree "." . (identifier) @unused)
(token_tree "::" . (identifier) @unused)
(token_tree (identifier) @loose)
; Members that a macro or another file may add: what a path begins with is known, if it is a name of this file.
(macro_definition (macro_rule (_ (identifier) @loose)))

;; parameters
(function_item parameters: (parameters (parameter) @parameter))
(function_signature_item parameters: (parameters (parameter) @parameter))

;; assignments
(let_declaration pattern: (identifier) @target type: (_)? @type value: (_)? @value) @assignment
(let_declaration
  pattern: [
    (tuple_pattern) (tuple_struct_pattern) (struct_pattern) (slice_pattern) (ref_pattern) (reference_pattern)
    (captured_pattern) (or_pattern) (mut_pattern)] @target) @assignment
(let_condition pattern: (_) @target) @assignment
(for_expression pattern: (_) @target) @assignment
(match_arm pattern: (match_pattern . (_) @target)) @assignment
(const_item name: (_) @target type: (_) @type) @assignment
(static_item name: (_) @target type: (_) @type) @assignment
(associated_type name: (_) @target) @assignment
(field_declaration name: (_) @target type: (_) @type) @assignment
(enum_variant name: (_) @target) @assignment

;; bases
(trait_item bounds: (trait_bounds (type_identifier) @base))
(trait_item bounds: (trait_bounds (scoped_type_identifier name: (_) @base)))
(trait_item bounds: (trait_bounds (generic_type type: (type_identifier) @base)))
(impl_item trait: (type_identifier) @base)
(impl_item trait: (scoped_type_identifier name: (_) @base))
(impl_item trait: (generic_type type: (type_identifier) @base))
(impl_item trait: (generic_type type: (scoped_type_identifier name: (_) @base)))

;; shape
(block) @block
(declaration_list) @block
(field_declaration_list) @block
(enum_variant_list) @block
(match_block) @block
(string_literal) @string
(raw_string_literal) @string
(char_literal) @string
(line_comment) @comment
(block_comment) @comment
[
  (arguments) (parameters) (parenthesized_expression) (tuple_expression) (tuple_pattern) (tuple_type)
  (array_expression) (array_type) (slice_pattern) (tuple_struct_pattern) (struct_pattern) (field_initializer_list)
  (closure_parameters) (type_arguments) (type_parameters) (use_list) (token_tree) (ordered_field_declaration_list)
] @bracket
(ERROR) @error
(function_item) @definition
(struct_item) @definition
(enum_item) @definition
(union_item) @definition
(trait_item) @definition
(impl_item) @definition
(mod_item) @definition
(macro_definition) @definition

;; binds
(function_item name: (identifier) @name)
(function_signature_item name: (identifier) @name)
(macro_definition name: (identifier) @name)
(struct_item name: (type_identifier) @name)
(enum_item name: (type_identifier) @name)
(union_item name: (type_identifier) @name)
(trait_item name: (type_identifier) @name)
(type_item name: (type_identifier) @name)
(associated_type name: (type_identifier) @name)
(mod_item name: (identifier) @name)
(enum_variant name: (identifier) @name)
(const_item name: (identifier) @name)
(static_item name: (identifier) @name)
(type_parameter name: (type_identifier) @name)
(const_parameter name: (identifier) @name)
(parameter pattern: (_) @target)
(closure_parameters (_) @target)
(let_declaration pattern: (_) @target)
(let_condition pattern: (_) @target)
(for_expression pattern: (_) @target)
(match_pattern . (_) @target)
(use_declaration (identifier) @name)
(use_declaration (scoped_identifier name: (identifier) @name))
(use_list (identifier) @name)
(use_list (scoped_identifier name: (identifier) @name))
(use_as_clause alias: (identifier) @name)
(scoped_use_list path: (identifier) @name)
(scoped_use_list path: (scoped_identifier name: (identifier) @name))
(extern_crate_declaration name: (identifier) @name !alias)
(extern_crate_declaration alias: (identifier) @name)

;; verbatim
(string_literal) @verbatim
(raw_string_literal) @verbatim
(char_literal) @verbatim

;; comments
(line_comment) @comment
(block_comment) @comment

;; roles
(source_file) @scope.file
(function_item body: (_) @scope.function)
(closure_expression body: (_) @scope.function)
(block) @scope.inner
(match_arm) @scope.inner
(if_expression) @scope.inner
(while_expression) @scope.inner
(for_expression) @scope.inner
(mod_item body: (_) @scope.function)
(impl_item type: (type_identifier) @scope.name body: (_) @scope.class)
(impl_item type: (generic_type type: (type_identifier) @scope.name) body: (_) @scope.class)
(impl_item type: (scoped_type_identifier name: (_) @scope.name) body: (_) @scope.class)
(impl_item type: (generic_type type: (scoped_type_identifier name: (_) @scope.name)) body: (_) @scope.class)
(impl_item type: (reference_type type: (type_identifier) @scope.name) body: (_) @scope.class)
(trait_item name: (_) @scope.name body: (_) @scope.class)
(struct_item name: (_) @scope.name body: (_) @scope.class)
(union_item name: (_) @scope.name body: (_) @scope.class)
(enum_item name: (_) @scope.name body: (_) @scope.class)
(function_item name: (identifier) @function)
(function_signature_item name: (identifier) @function)
(macro_definition name: (identifier) @function)
(struct_item name: (type_identifier) @class)
(enum_item name: (type_identifier) @class)
(union_item name: (type_identifier) @class)
(trait_item name: (type_identifier) @class)
(type_item name: (type_identifier) @class)
(associated_type name: (type_identifier) @class)
(enum_variant name: (identifier) @class)
(mod_item name: (identifier) @class)
(function_item
  parameters: (parameters (parameter pattern: [(identifier) @parameter (mut_pattern (identifier) @parameter)]))
  body: (_) @owner)
(closure_expression
  parameters: (closure_parameters [(identifier) @parameter (parameter pattern: (identifier) @parameter)])
  body: (_) @owner)
(let_declaration pattern: (identifier) @assigned)
(let_condition pattern: (identifier) @assigned)
(for_expression pattern: (identifier) @assigned)
(match_pattern . (identifier) @assigned)
(mut_pattern (identifier) @assigned)
(ref_pattern (identifier) @assigned)
(reference_pattern (identifier) @assigned)
(tuple_pattern (identifier) @assigned)
(slice_pattern (identifier) @assigned)
(or_pattern (identifier) @assigned)
(captured_pattern . (identifier) @assigned)
(tuple_struct_pattern type: (_) (identifier) @assigned)
(tuple_struct_pattern type: (identifier) @use)
(field_pattern name: (shorthand_field_identifier) @assigned)
(field_pattern pattern: (identifier) @assigned)
(const_item name: (identifier) @assigned)
(static_item name: (identifier) @assigned)
(type_parameter name: (type_identifier) @assigned)
(const_parameter name: (identifier) @assigned)
(field_declaration name: (field_identifier) @member.assigned)
(field_expression field: (field_identifier) @member)
(field_initializer field: (field_identifier) @member)
(field_pattern name: (field_identifier) @member)
(token_tree (identifier) @keyword . "=")
(token_tree "." . (identifier) @member)
(token_tree "::" . (identifier) @member)
(scoped_identifier path: (_) name: (identifier) @member)
(scoped_type_identifier path: (_) name: (type_identifier) @member)
(use_declaration (identifier) @import)
(use_declaration (scoped_identifier name: (identifier) @import))
(use_list (identifier) @import)
(use_list (scoped_identifier name: (identifier) @import))
(use_as_clause path: (identifier) @imported)
(use_as_clause path: (scoped_identifier name: (identifier) @imported))
(use_as_clause alias: (identifier) @import)
(use_declaration (scoped_identifier path: (identifier) @module))
(use_list (scoped_identifier path: (identifier) @module))
(use_as_clause path: (scoped_identifier path: (identifier) @module))
(scoped_use_list path: (identifier) @module)
(scoped_use_list path: (scoped_identifier name: (identifier) @module))
(scoped_identifier path: (scoped_identifier name: (identifier) @module))
(use_wildcard (identifier) @module)
(use_wildcard (scoped_identifier name: (identifier) @module))
(extern_crate_declaration name: (identifier) @import !alias)
(extern_crate_declaration alias: (identifier) @import)

;; variants
((attribute_item (attribute (identifier) @_cfg)) . [(attribute_item) (line_comment) (block_comment)]* . (_
  name: (_) @alike)
  (#eq? @_cfg "cfg"))
((attribute_item (attribute (identifier) @_cfg)) . [(attribute_item) (line_comment) (block_comment)]* . (impl_item
  body: (declaration_list (_ name: (_) @alike)))
  (#eq? @_cfg "cfg"))

;; calls
(call_expression function: (identifier) @function arguments: (arguments) @arguments) @call
(call_expression function: (field_expression field: (field_identifier) @function) arguments: (arguments) @arguments) @call
(call_expression function: (scoped_identifier name: (identifier) @function) arguments: (arguments) @arguments) @call
(call_expression
  function: (generic_function function: (identifier) @function)
  arguments: (arguments) @arguments) @call
(call_expression
  function: (generic_function function: (field_expression field: (field_identifier) @function))
  arguments: (arguments) @arguments) @call
(call_expression
  function: (generic_function function: (scoped_identifier name: (identifier) @function))
  arguments: (arguments) @arguments) @call

;; signatures
(function_item (function_modifiers "async")? @async name: (identifier) @name parameters: (parameters) @parameters) @function
(function_signature_item name: (identifier) @name parameters: (parameters) @parameters) @function

;; pairs
(call_expression arguments: (arguments) @elements) @pair
(binary_expression left: (_) @first right: (_) @second) @pair
(assignment_expression left: (_) @first right: (_) @second) @pair
(tuple_expression) @pair @elements
(array_expression) @pair @elements
