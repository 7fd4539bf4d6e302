-- A store in one SQLite file. Times are milliseconds since 1970-01-01T00:00:00Z.
-- What belongs to a resource has the resource's number in front of its key.

CREATE TABLE store (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    version INTEGER NOT NULL,   -- the newest migration applied
    analysis INTEGER NOT NULL,  -- how the search index was made
    stamp_floor INTEGER         -- the last restore: no stamp given out since is earlier
) STRICT;

CREATE TABLE log (
    no INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    id TEXT NOT NULL,
    epoch TEXT NOT NULL,
    latest INTEGER NOT NULL DEFAULT 0,
    compacted_through INTEGER NOT NULL DEFAULT 0,
    UNIQUE (type, id)
) STRICT;

CREATE TABLE gap (
    log INTEGER NOT NULL REFERENCES log (no),
    after INTEGER NOT NULL,
    next INTEGER NOT NULL CHECK (next > after),
    PRIMARY KEY (log, after)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
    log INTEGER NOT NULL REFERENCES log (no),
    sequence INTEGER NOT NULL,
    type TEXT NOT NULL,
    at INTEGER NOT NULL,
    article TEXT,  -- the article that changed, or NULL in other resources' logs
    changed TEXT,  -- its parts that an update changed, with commas between
    data TEXT,     -- what the host said, in other resources' logs
    PRIMARY KEY (log, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE receipt (
    log INTEGER NOT NULL REFERENCES log (no),
    principal TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    status TEXT NOT NULL,
    article TEXT NOT NULL,
    updated_at INTEGER,
    sequence INTEGER,
    proposal TEXT,
    at INTEGER NOT NULL,
    PRIMARY KEY (log, principal, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE knowledge_base (
    log INTEGER PRIMARY KEY REFERENCES log (no),
    title TEXT NOT NULL,
    language TEXT NOT NULL,
    published INTEGER NOT NULL DEFAULT 0,  -- how many articles are
    sealed INTEGER NOT NULL DEFAULT 0
) STRICT;

-- drafted_at is the latest stamp that a draft of the article had, also one that is gone.
CREATE TABLE article (
    log INTEGER NOT NULL REFERENCES knowledge_base (log),
    id TEXT NOT NULL,
    no INTEGER NOT NULL,  -- what the search index calls it
    state TEXT NOT NULL,
    updated_at INTEGER,
    sequence INTEGER,
    revision INTEGER,  -- the stamp of the text that it has
    erased_at INTEGER, drafted_at INTEGER,
    PRIMARY KEY (log, id),
    UNIQUE (log, no),
    FOREIGN KEY (log, id, revision) REFERENCES revision (log, article, updated_at)
        DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;

CREATE TABLE draft (
    log INTEGER NOT NULL,
    article TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    base INTEGER,
    title TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (log, article),
    FOREIGN KEY (log, article) REFERENCES article (log, id)
) STRICT;

CREATE TABLE revision (
    log INTEGER NOT NULL,
    article TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    sequence INTEGER NOT NULL,  -- of the event that told of it
    by TEXT NOT NULL,
    client TEXT,
    note TEXT,
    title TEXT,     -- NULL once the text is dropped, like the two behind it
    passages TEXT,  -- JSON
    content TEXT,
    PRIMARY KEY (log, article, updated_at),
    FOREIGN KEY (log, article) REFERENCES article (log, id)
) STRICT;

CREATE TABLE imported (
    log INTEGER NOT NULL REFERENCES knowledge_base (log),
    path TEXT NOT NULL,
    article TEXT NOT NULL,
    front_matter TEXT NOT NULL,
    updated_at INTEGER,
    title TEXT NOT NULL,
    details TEXT NOT NULL,
    PRIMARY KEY (log, path)
) STRICT;

CREATE TABLE token (
    digest TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    grants TEXT NOT NULL,
    approval TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger (
    log INTEGER PRIMARY KEY REFERENCES knowledge_base (log),
    reach INTEGER NOT NULL  -- the event up to which the verdicts are true
) STRICT;

CREATE TABLE answer (
    log INTEGER NOT NULL REFERENCES ledger (log),
    no INTEGER NOT NULL,
    id TEXT NOT NULL,
    question TEXT NOT NULL,
    text TEXT NOT NULL,  -- empty once an article that it cites is erased
    answered_at INTEGER NOT NULL,
    by TEXT NOT NULL,
    rank INTEGER NOT NULL,  -- of its worst verdict, worse ones first: 0 is current
    PRIMARY KEY (log, no)
) STRICT, WITHOUT ROWID;

CREATE INDEX answer_by_rank ON answer (log, rank, no);

CREATE TABLE cited (
    log INTEGER NOT NULL REFERENCES ledger (log),
    no INTEGER NOT NULL,
    article TEXT NOT NULL,
    updated_at INTEGER,  -- NULL for a stamp that never was
    stamp TEXT NOT NULL, -- as the citation names it
    quote TEXT NOT NULL, -- JSON of its three parts; null for a citation without quotes
    verdict TEXT NOT NULL,
    since INTEGER,       -- the event that made the verdict; NULL if it was so from the start
    PRIMARY KEY (log, no),
    UNIQUE (log, article, stamp, quote)
) STRICT, WITHOUT ROWID;

CREATE TABLE rests_on (
    log INTEGER NOT NULL,
    answer INTEGER NOT NULL,
    citation INTEGER NOT NULL,  -- its place among the answer's citations
    quote INTEGER NOT NULL,     -- its place among the citation's quotes
    cited INTEGER NOT NULL,
    PRIMARY KEY (log, answer, citation, quote),
    FOREIGN KEY (log, answer) REFERENCES answer (log, no),
    FOREIGN KEY (log, cited) REFERENCES cited (log, no)
) STRICT, WITHOUT ROWID;

CREATE INDEX rests_on_cited ON rests_on (log, cited, answer);
