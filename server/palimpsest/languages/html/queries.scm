; What palimpsest asks of an HTML tree; `languages/base.py` says what the sections and captures mean.

;; pieces
(element) @piece
(script_element) @piece
(style_element) @piece
(doctype) @piece
(comment) @piece

;; shape
(comment) @comment
(quoted_attribute_value) @string
(ERROR) @error
(element) @definition

;; comments
(comment) @comment

;; verbatim
(quoted_attribute_value) @verbatim
(raw_text) @verbatim

;; embeds
(script_element
  (start_tag (attribute
    (attribute_name) @_name [(attribute_value) @said (quoted_attribute_value (attribute_value) @said)])
    (#any-of? @_name "type" "lang"))
  (raw_text) @text) @script
(script_element (start_tag) (raw_text) @text) @script
(style_element (start_tag) (raw_text) @text) @style

;; tags
(_ . (start_tag (tag_name) @opening) (end_tag (tag_name) @closing) .)
