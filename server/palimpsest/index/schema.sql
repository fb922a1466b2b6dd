CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    mtime_ns INTEGER NOT NULL,
    size INTEGER NOT NULL,
    language TEXT NOT NULL,
    words BLOB
);
CREATE TABLE definitions (
    file INTEGER NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    qualified_name TEXT NOT NULL,
    line INTEGER NOT NULL,
    signature TEXT NOT NULL,
    doc TEXT NOT NULL,
    PRIMARY KEY (file, number)
) WITHOUT ROWID;
CREATE INDEX definitions_by_name ON definitions (name);
CREATE TABLE packages (name TEXT NOT NULL, file INTEGER NOT NULL, PRIMARY KEY (name, file)) WITHOUT ROWID;
CREATE INDEX packages_by_file ON packages (file);
CREATE TABLE imports (
    file INTEGER NOT NULL,
    number INTEGER NOT NULL,
    module TEXT NOT NULL,
    name TEXT NOT NULL,
    alias TEXT NOT NULL,
    level INTEGER NOT NULL,
    line INTEGER NOT NULL,
    PRIMARY KEY (file, number)
) WITHOUT ROWID;
CREATE TABLE ends (
    name TEXT NOT NULL,
    file INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (name, file, number)
) WITHOUT ROWID;
CREATE INDEX ends_by_file ON ends (file);
