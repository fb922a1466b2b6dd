"""Palimpsest: a language server that keeps a local code model's context alive while a person edits.

Glossary (one word, one meaning):

    block     a piece of prompt: `<context …>` with its content
    editing   the `<editing>` block: the code at the cursor
    span      a half-open range of positions in the cache
    cell      one slot of KV memory; a token of a span occupies one
    arena     the positions between header and footer, handed out by a free list
    header    the first tokens of a workspace's prompt, the attention sink that every block is encoded behind
    footer    the text pinned at the arena's end
    tail      what is decoded after the footer: a completion's, suggestion's or chat's own text
    attached  a resident block that the tail attends to; a detached one only keeps its KV
    resident  in the cache; `stored`: its KV is in host memory; `wanted`: neither, yet
    snapshot  one immutable version of a document
    slot      whose work a job is: typing, suggestion, chat or background; also its priority
    ref, descriptor, experience   parts of a conversation
"""

__version__ = "0.1.0"
