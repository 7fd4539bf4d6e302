ALTER TABLE article ADD COLUMN drafted_at INTEGER;

UPDATE article SET drafted_at = draft.updated_at
FROM draft WHERE draft.log = article.log AND draft.article = article.id;
