"""Sources of context.  Each has a `type`, `candidates(view)` and `still_valid(block, view)` (see `gather.Source`)."""
