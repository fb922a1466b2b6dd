; What palimpsest asks of a Markdown tree; `languages/base.py` says what the sections and captures mean.

;; scopes
(section . (atx_heading heading_content: (inline) @name) . (_) @body) @namespace

;; variants
; sections may be called alike
(section . (atx_heading heading_content: (inline) @other))

;; pieces
(section) @piece
(paragraph) @piece
(atx_heading) @piece
(list) @piece
(list_item) @piece
(fenced_code_block) @piece
(indented_code_block) @piece
(block_quote) @piece
(pipe_table) @piece
(html_block) @piece

;; shape
(html_block) @comment

;; verbatim
(fenced_code_block) @verbatim
(indented_code_block) @verbatim

;; embeds
(fenced_code_block (info_string (language) @language) (code_fence_content) @text) @fence
