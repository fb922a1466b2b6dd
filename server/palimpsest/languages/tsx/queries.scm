; What palimpsest asks of a TSX tree besides what it asks of TypeScript's.

;; more names
; Elements of HTML, whose names begin in lower case.
(jsx_opening_element name: (identifier) @unused (#match? @unused "^[a-z]"))
(jsx_closing_element name: (identifier) @unused (#match? @unused "^[a-z]"))
(jsx_self_closing_element name: (identifier) @unused (#match? @unused "^[a-z]"))

;; tags
(jsx_element
  open_tag: (jsx_opening_element name: (_) @opening)
  close_tag: (jsx_closing_element name: (_) @closing))
