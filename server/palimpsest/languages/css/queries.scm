; What palimpsest asks of a CSS tree; `languages/base.py` says what the sections and captures mean.

;; scopes
(rule_set (selectors) @name (block) @body) @namespace
(media_statement . (_) @name (block) @body) @namespace
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @namespace

;; variants
; another rule for the same elements is no second definition
(rule_set (selectors) @other)
(media_statement . (_) @other)

;; pieces
(rule_set) @piece
(at_rule) @piece
(media_statement) @piece
(supports_statement) @piece
(keyframes_statement) @piece
(import_statement) @piece
(keyframe_block) @piece

;; shape
(block) @block
(keyframe_block_list) @block
(string_value) @string
(comment) @comment
(arguments) @bracket
(ERROR) @error
(rule_set) @definition
(media_statement) @definition
(keyframes_statement) @definition

;; comments
(comment) @comment

;; verbatim
(string_value) @verbatim
