-- A store in one PostgreSQL database, as its migrations leave it (a test compares the two).
-- Its tables are made in the first schema of the connection's search path.
-- Times are milliseconds since 1970-01-01T00:00:00Z. `log` is what owns a log: a knowledge
-- base's id, or another resource as `type:id`. It leads every key, so that a database that
-- spreads tables by one column can spread these by it. Text is compared by its bytes, on
-- every host alike. There are no foreign keys: they would lock the log's row once more in
-- each write, and `pincite doctor` checks what they would.

CREATE TABLE store (
    one integer PRIMARY KEY CHECK (one = 1),
    id text COLLATE "C" NOT NULL,  -- names this store for good, whatever host it moves to
    version integer NOT NULL,      -- the newest migration applied
    timeline text COLLATE "C" NOT NULL,  -- PostgreSQL's, when the logs were last known whole
    stamp_floor bigint             -- the last break: no stamp given out since is earlier
);

CREATE TABLE log (
    id text COLLATE "C" PRIMARY KEY,
    epoch text COLLATE "C" NOT NULL,
    latest bigint NOT NULL DEFAULT 0,
    compacted_through bigint NOT NULL DEFAULT 0,
    articles bigint NOT NULL DEFAULT 0,   -- how many there are, in whatever state
    published bigint NOT NULL DEFAULT 0,  -- how many of them are
    erasures bigint NOT NULL DEFAULT 0,   -- how often a text was erased: indexes follow suit
    sealed boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);  -- its few rows change at every write; room keeps that in the page

CREATE TABLE gap (
    log text COLLATE "C" NOT NULL,
    after bigint NOT NULL,
    next bigint NOT NULL CHECK (next > after),
    PRIMARY KEY (log, after)
);

CREATE TABLE event (
    log text COLLATE "C" NOT NULL,
    sequence bigint NOT NULL,
    type text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    article text COLLATE "C",  -- the article that changed, or NULL in other resources' logs
    changed text COLLATE "C",  -- its parts that an update changed, with commas between
    data text COLLATE "C",     -- what the host said, in other resources' logs
    PRIMARY KEY (log, sequence)
);

CREATE TABLE receipt (
    log text COLLATE "C" NOT NULL,
    principal text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,
    article text COLLATE "C" NOT NULL,
    updated_at bigint,
    sequence bigint,
    proposal text COLLATE "C",
    at bigint NOT NULL,
    PRIMARY KEY (log, principal, key)
);

CREATE TABLE knowledge_base (
    log text COLLATE "C" PRIMARY KEY,
    title text COLLATE "C" NOT NULL,
    language text COLLATE "C" NOT NULL
);

-- The draft stands in the article's own row: what a write compares must be one row, since
-- a statement that waited for a lock sees the newest form of that row and of no other.
CREATE TABLE article (
    log text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    no bigint NOT NULL,  -- counts a knowledge base's articles as they were made
    state text COLLATE "C" NOT NULL,
    updated_at bigint,
    sequence bigint,
    revision bigint,  -- the stamp of the text that it has
    erased_at bigint,
    draft_updated_at bigint,
    draft_base bigint,
    draft_title text COLLATE "C",
    draft_content text COLLATE "C",
    drafted_at bigint,  -- the latest stamp that a draft of it had, also one that is gone
    PRIMARY KEY (log, id)
);

CREATE UNIQUE INDEX article_no ON article (log, no);

CREATE TABLE revision (
    log text COLLATE "C" NOT NULL,
    article text COLLATE "C" NOT NULL,
    updated_at bigint NOT NULL,
    sequence bigint NOT NULL,  -- of the event that told of it
    by text COLLATE "C" NOT NULL,
    client text COLLATE "C",
    note text COLLATE "C",
    title text COLLATE "C",     -- NULL once the text is dropped, like the two behind it
    passages text COLLATE "C",  -- JSON
    content text COLLATE "C",
    PRIMARY KEY (log, article, updated_at)
);

CREATE TABLE imported (
    log text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    article text COLLATE "C" NOT NULL,
    front_matter text COLLATE "C" NOT NULL,
    updated_at bigint,
    title text COLLATE "C" NOT NULL,
    details text COLLATE "C" NOT NULL,
    PRIMARY KEY (log, path)
);

CREATE TABLE token (
    digest text COLLATE "C" PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    grants text COLLATE "C" NOT NULL,
    approval text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint
);

CREATE TABLE ledger (
    log text COLLATE "C" PRIMARY KEY,
    reach bigint NOT NULL  -- the event up to which the verdicts are true
);

CREATE TABLE answer (
    log text COLLATE "C" NOT NULL,
    no bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    question text COLLATE "C" NOT NULL,
    text text COLLATE "C" NOT NULL,  -- empty once an article that it cites is erased
    answered_at bigint NOT NULL,
    by text COLLATE "C" NOT NULL,
    rank integer NOT NULL,  -- of its worst verdict, worse ones first: 0 is current
    PRIMARY KEY (log, no)
);

CREATE INDEX answer_by_rank ON answer (log, rank, no);

CREATE TABLE cited (
    log text COLLATE "C" NOT NULL,
    no bigint NOT NULL,
    article text COLLATE "C" NOT NULL,
    updated_at bigint,               -- NULL for a stamp that never was
    stamp text COLLATE "C" NOT NULL, -- as the citation names it
    quote text COLLATE "C" NOT NULL, -- JSON of its three parts; null for a citation without quotes
    digest text COLLATE "C" NOT NULL, -- SHA-256 of the quote, which may be too long for an index
    verdict text COLLATE "C" NOT NULL,
    since bigint,  -- the event that made the verdict; NULL if it was so from the start
    PRIMARY KEY (log, no)
);

CREATE UNIQUE INDEX cited_identity ON cited (log, article, stamp, digest);

CREATE TABLE rests_on (
    log text COLLATE "C" NOT NULL,
    answer bigint NOT NULL,
    citation integer NOT NULL,  -- its place among the answer's citations
    quote integer NOT NULL,     -- its place among the citation's quotes
    cited bigint NOT NULL,
    PRIMARY KEY (log, answer, citation, quote)
);

CREATE INDEX rests_on_cited ON rests_on (log, cited, answer);
