"""The engine's process: the only llama.cpp.

`native_engine.py` puts the cache (`cache/`, on `arena/`), generation and the loaded model (`model/`, `llama/`)
together; `core/` runs jobs (`jobs/`) on its thread, `http/` and `llama_server/` are its doors, `lifetime/` its end;
`main.py` is `palimpsest engine`.
"""
