"""The page of a task: one module a section, each a function from what is known of the task to a section or None."""
