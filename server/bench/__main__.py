"""`python -m bench`, in a clone."""

import sys

from bench.command import main
from palimpsest.config.layers import own_settings
from palimpsest.engine.llama.library import choose

if __name__ == "__main__":
    choose(own_settings().engine.library)  # for those that load it in this process
    sys.exit(main(sys.argv[1:]))
