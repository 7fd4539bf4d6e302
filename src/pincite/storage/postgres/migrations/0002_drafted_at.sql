ALTER TABLE article ADD COLUMN drafted_at bigint;

UPDATE article SET drafted_at = draft_updated_at WHERE draft_updated_at IS NOT NULL;
