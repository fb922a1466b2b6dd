"""Ways to an engine.

`supervisor.py` keeps one at hand, by the states in `lifecycle.py`; `provider.py` starts ours (`palimpsest/`) or watches
one that others run (`llama_server/`, `openai/`).  `whole_prompt/` is for those that only know whole prompts.
"""
