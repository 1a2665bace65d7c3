"""The site: pages of tasks, suites and systems, and the board, from the store and the tasks alone."""
