"""From a query to passages: the query language, the index of words, ranking and snippets."""
