"""How the embedded model is made: source code in, `palimpsest-embedded.gguf` out.

    corpus     wheels and the standard library  ->  modules (text)
    outline    a module  ->  context blocks and editing blocks, by plain `ast`
    damage     a function  ->  a broken function and the reply that repairs it
    examples   a module  ->  workspaces: blocks and the tails that see them (text only)
    tokenizer  text  ->  the byte-level BPE, 4,096 tokens
    data       all of the above  ->  train.npz, held.jsonl
    layout     examples  ->  positions, what sees what, targets (arrays)
    model      arrays  ->  the loss at every wanted token (the only torch besides `optimizer`, `train`)
    train      a time budget  ->  checkpoint.pt
    export     checkpoint.pt  ->  GGUF
    arena      llama.cpp: tokens at positions, blocks behind their own header
    evaluate   the GGUF  ->  figures, through llama.cpp

Text is written by the product's own `palimpsest.prompt.blocks`: the model is trained on what it will read.
Nothing here is imported by the product, and nothing here is needed to use it.
"""

import os
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "palimpsest" / "training"
"""Where data and checkpoints lie."""
