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
