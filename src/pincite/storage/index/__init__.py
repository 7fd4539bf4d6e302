"""The search index: text into terms, terms into answers, answers into snippets."""
