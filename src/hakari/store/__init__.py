"""Result files are the truth; `results.duckdb` is an index over them that may be deleted at any time."""
