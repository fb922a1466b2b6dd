; What palimpsest asks of a YAML tree; `languages/base.py` says what the sections and captures mean.

;; scopes
(block_mapping_pair key: (_) @name value: (block_node) @body) @namespace

;; pieces
(document) @piece
(block_mapping_pair) @piece
(block_sequence_item) @piece
(flow_pair) @piece

;; shape
(double_quote_scalar) @string
(single_quote_scalar) @string
(comment) @comment
(flow_mapping) @bracket
(flow_sequence) @bracket
(ERROR) @error

;; comments
(comment) @comment

;; verbatim
(double_quote_scalar) @verbatim
(single_quote_scalar) @verbatim
(block_scalar) @verbatim
