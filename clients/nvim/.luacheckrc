std = "luajit"
globals = { "vim" }
max_line_length = 120
unused_secondaries = false
exclude_files = { "lua/palimpsest/generated.lua" }
