"""How models are made: source code in, `palimpsest-embedded.gguf` out, or an adapter of a model of somebody else's.

    corpus     wheels, installed packages, the standard library  ->  modules (text), folders
    outline    a module  ->  where something may be completed or repaired, by plain `ast`
    sketch     the same in any language of the product, by its grammars
    damage     a function  ->  a broken function and the reply that repairs it
    next_edit  a function  ->  as it was before a change that was made elsewhere, too
    examples   what an example is; cuts, fresh names
    product    a package's folder  ->  workspaces: the blocks that the product chooses, and tails that see them
    held       the held-out packages that are installed  ->  workspaces and cursors to measure on
    tokenizer  text  ->  the byte-level BPE, 4,096 tokens
    data       all of the above  ->  train.npz, held.npz
    sources    sources.txt  ->  folders with source code in other languages
    texts      the same as text, for models with tokenizers of their own  ->  texts/*.jsonl.gz
    prose      paragraphs, markup and commit messages beside them  ->  texts/*.jsonl.gz
    plain      the corpus  ->  plain.npz: rows of nothing but source
    layout     examples  ->  positions, what sees what, targets (arrays)
    model      arrays  ->  the loss at every wanted token (torch; besides it `optimizer`, `team`, `grow`, `train`)
    attention  who sees what  ->  what each token found (torch)
    team       processes that train together
    grow       a GGUF  ->  weights to begin with
    train      a time budget  ->  checkpoint.pt
    export     checkpoint.pt  ->  GGUF
    memory     what a training process wants of its allocator and threads

From somebody else's model (a base), instead of the embedded one:

    folder     a Hugging Face folder  ->  GGUF
    vocabulary a GGUF  ->  its tokenizer, the tokens that stand for prefix, suffix, middle and end
    base       a GGUF of llama's or qwen2's family  ->  weights, shape, vocabulary
    lora       low-rank factors beside a frozen base (with `head`, its loss over a large vocabulary)
    shelf      texts  ->  workspaces in any base's tokens, in an order that goes on where it stopped
    plan       what a run is to do, how far it has come
    portions   what a step is made of
    pace       the rate over a run's time, Adam
    tune       a base, texts and a time budget  ->  lora.pt
    ending     lora.pt  ->  lora.pt with another row for the end
    average    several lora.pt that began alike  ->  one to begin with, or for an adapter
    adapter    lora.pt  ->  an adapter as GGUF
    merge      a base and an adapter  ->  GGUF; without torch
    parity     torch against llama.cpp on a base

And both are measured:

    arena      llama.cpp: tokens at positions, blocks behind their own header
    prompt     a workspace in llama.cpp, in the orders that are compared
    measures   losses, words, names, repairs
    edits      a much edited cache against a fresh one
    evaluate   a GGUF  ->  figures

Blocks are chosen and written by the product: the model is trained on what it will read.
Nothing here is imported by the product.  `adapt`, which `palimpsest model adapt` runs, has a model learn a person's own
repositories with the above, and keeps it if it types their last commits better.
"""

import os
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "palimpsest" / "training"
"""Where data and checkpoints lie."""
