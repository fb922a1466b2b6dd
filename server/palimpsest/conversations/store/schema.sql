-- The tables, as steps from nothing to now: a step that has been released is never changed.  `schema.py` reads them.
--
-- Times are seconds since 1970.  A text is named by its content's hash (`content`).  A conversation's turns are a tree:
-- each has the one before it as its parent, and the conversation names the last of the branch that is shown.

-- Step 1
CREATE TABLE content (
    id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE,
    n_chars INTEGER NOT NULL, n_bytes INTEGER NOT NULL, n_lines INTEGER NOT NULL
) STRICT;
CREATE TABLE piece (
    content INTEGER NOT NULL REFERENCES content ON DELETE CASCADE, number INTEGER NOT NULL,
    first_char INTEGER NOT NULL, first_line INTEGER NOT NULL,
    compressed INTEGER NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (content, number)
) STRICT;

CREATE TABLE conversation (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL,
    uri TEXT NOT NULL DEFAULT '', model TEXT NOT NULL DEFAULT '', workspace TEXT NOT NULL DEFAULT '',
    memory_key TEXT NOT NULL DEFAULT 'main', head INTEGER REFERENCES turn,
    parent TEXT REFERENCES conversation ON DELETE SET NULL, n_descriptors INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE turn (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation TEXT NOT NULL REFERENCES conversation ON DELETE CASCADE,
    parent INTEGER REFERENCES turn ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
    state TEXT NOT NULL CHECK (state IN ('writing', 'complete', 'cut', 'failed')),
    hash TEXT NOT NULL REFERENCES content (hash), created REAL NOT NULL,
    source TEXT NOT NULL DEFAULT '', descriptor TEXT, n_tokens INTEGER, estimated INTEGER NOT NULL DEFAULT 0,
    details TEXT NOT NULL DEFAULT '{}', writer TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX turn_conversation ON turn (conversation, parent);
CREATE INDEX turn_parent ON turn (parent);
CREATE INDEX turn_hash ON turn (hash);
CREATE TABLE call (
    turn INTEGER NOT NULL REFERENCES turn ON DELETE CASCADE, number INTEGER NOT NULL,
    name TEXT NOT NULL, arguments TEXT NOT NULL, status TEXT NOT NULL,
    result TEXT REFERENCES content (hash), descriptor TEXT, created REAL NOT NULL, n_tokens INTEGER,
    PRIMARY KEY (turn, number)
) STRICT;
CREATE INDEX call_result ON call (result);

CREATE TABLE ref (
    conversation TEXT NOT NULL REFERENCES conversation ON DELETE CASCADE,
    id TEXT NOT NULL, version INTEGER NOT NULL, turn INTEGER, hash TEXT NOT NULL REFERENCES content (hash),
    created REAL NOT NULL, n_lines INTEGER NOT NULL, n_chars INTEGER NOT NULL,
    language TEXT NOT NULL DEFAULT '', category TEXT NOT NULL DEFAULT '', path TEXT NOT NULL DEFAULT '',
    attributes TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (conversation, id, version)
) STRICT;
CREATE INDEX ref_hash ON ref (hash);

CREATE TABLE descriptor (
    conversation TEXT NOT NULL REFERENCES conversation ON DELETE CASCADE,
    id TEXT NOT NULL, name TEXT NOT NULL DEFAULT '', hash TEXT NOT NULL REFERENCES content (hash),
    source TEXT NOT NULL DEFAULT '', language TEXT NOT NULL DEFAULT '', created REAL NOT NULL,
    page_size INTEGER NOT NULL, closed INTEGER NOT NULL DEFAULT 0, summary TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (conversation, id)
) STRICT;
CREATE INDEX descriptor_hash ON descriptor (hash);
CREATE TABLE page_start (
    hash TEXT NOT NULL REFERENCES content (hash) ON DELETE CASCADE,
    page_size INTEGER NOT NULL, starts BLOB NOT NULL,
    PRIMARY KEY (hash, page_size)
) STRICT;
CREATE TABLE section (
    conversation TEXT NOT NULL, descriptor TEXT NOT NULL, name TEXT NOT NULL,
    start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, created REAL NOT NULL,
    PRIMARY KEY (conversation, descriptor, name),
    FOREIGN KEY (conversation, descriptor) REFERENCES descriptor ON DELETE CASCADE
) STRICT;
CREATE TABLE temp_file (
    family TEXT NOT NULL, name TEXT NOT NULL, hash TEXT NOT NULL REFERENCES content (hash), created REAL NOT NULL,
    PRIMARY KEY (family, name)
) STRICT;

CREATE TABLE experience (
    memory_key TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL, created REAL NOT NULL,
    forgotten INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (memory_key, number)
) STRICT;
CREATE TABLE compaction (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation TEXT NOT NULL REFERENCES conversation ON DELETE CASCADE,
    turn INTEGER REFERENCES turn ON DELETE CASCADE, fields TEXT NOT NULL,
    written_by TEXT NOT NULL CHECK (written_by IN ('model', 'mechanical', 'person')),
    state TEXT NOT NULL CHECK (state IN ('queued', 'applied', 'replaced')), created REAL NOT NULL
) STRICT;
CREATE TABLE fork (
    id TEXT PRIMARY KEY, conversation TEXT NOT NULL REFERENCES conversation ON DELETE CASCADE,
    child TEXT NOT NULL REFERENCES conversation ON DELETE CASCADE,
    task TEXT NOT NULL, instruction TEXT NOT NULL, fresh INTEGER NOT NULL DEFAULT 0,
    status TEXT NOT NULL CHECK (status IN ('running', 'completed', 'failed', 'cancelled')),
    response TEXT REFERENCES content (hash), created REAL NOT NULL, gathered INTEGER NOT NULL DEFAULT 0,
    writer TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE checkpoint (
    id TEXT PRIMARY KEY, conversation TEXT NOT NULL REFERENCES conversation ON DELETE CASCADE,
    name TEXT NOT NULL DEFAULT '', automatic INTEGER NOT NULL DEFAULT 0, created REAL NOT NULL,
    head INTEGER, state TEXT NOT NULL
) STRICT;

CREATE TABLE document_reference (
    conversation TEXT NOT NULL REFERENCES conversation ON DELETE CASCADE,
    turn INTEGER NOT NULL REFERENCES turn ON DELETE CASCADE, number INTEGER NOT NULL,
    wikilink TEXT NOT NULL, path TEXT, fragment TEXT NOT NULL DEFAULT '',
    kind TEXT NOT NULL CHECK (kind IN ('direct', 'search')), read INTEGER NOT NULL DEFAULT 0,
    summary TEXT NOT NULL DEFAULT '', snippet TEXT NOT NULL DEFAULT '', problem TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (turn, number)
) STRICT;
CREATE INDEX document_path ON document_reference (path);
CREATE TABLE document_summary (hash TEXT PRIMARY KEY, text TEXT NOT NULL, by_model INTEGER NOT NULL) STRICT;

CREATE TABLE permission (folder TEXT NOT NULL, what TEXT NOT NULL, answer TEXT NOT NULL,
    PRIMARY KEY (folder, what)) STRICT;

-- Step 2
CREATE TABLE checkpoint_text (
    checkpoint TEXT NOT NULL REFERENCES checkpoint ON DELETE CASCADE,
    hash TEXT NOT NULL REFERENCES content (hash),
    PRIMARY KEY (checkpoint, hash)
) STRICT;
CREATE INDEX checkpoint_text_hash ON checkpoint_text (hash);
CREATE INDEX temp_file_hash ON temp_file (hash);
CREATE INDEX fork_response ON fork (response);
INSERT INTO checkpoint_text SELECT DISTINCT checkpoint.id, content.hash
    FROM checkpoint, json_tree(checkpoint.state) AS kept JOIN content ON content.hash = kept.atom;

-- Step 3
ALTER TABLE fork ADD COLUMN aside INTEGER NOT NULL DEFAULT 0;

-- Step 4
ALTER TABLE experience ADD COLUMN made_by TEXT NOT NULL DEFAULT '';
ALTER TABLE experience ADD COLUMN forgotten_by TEXT NOT NULL DEFAULT '';

-- Step 5
ALTER TABLE turn ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
UPDATE turn SET number = COALESCE(json_extract(details, '$.of'), id);
CREATE INDEX turn_number ON turn (conversation, number);

-- Step 6
ALTER TABLE descriptor ADD COLUMN original TEXT REFERENCES content (hash);
CREATE INDEX descriptor_original ON descriptor (original);

-- Step 7
ALTER TABLE experience ADD COLUMN own_to TEXT NOT NULL DEFAULT '';

-- Step 8
-- A window of a version before `number` may still have the database open and write turns without one.  A copy of
-- its has the id of the turn that it copies in `of`.
UPDATE turn SET number = found.number FROM (
    SELECT late.id, ROW_NUMBER() OVER (PARTITION BY late.conversation ORDER BY late.id) + (
        SELECT MAX(number) FROM turn WHERE conversation = late.conversation
    ) AS number FROM turn AS late WHERE late.number = 0
) AS found WHERE found.id = turn.id;
CREATE TRIGGER turn_without_number AFTER INSERT ON turn WHEN new.number = 0
BEGIN
    UPDATE turn SET number = COALESCE(
        (SELECT number FROM turn WHERE id = json_extract(new.details, '$.of')),
        1 + COALESCE(
            (SELECT MAX(number) FROM turn WHERE conversation = new.conversation AND id <> new.id),
            (SELECT MAX(number) FROM turn WHERE conversation =
                (SELECT parent FROM conversation WHERE id = new.conversation)), 0
        )
    ) WHERE id = new.id; END;
