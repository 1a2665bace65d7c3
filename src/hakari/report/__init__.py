"""What was weighed, as numbers with intervals, comparisons, decisions and tables."""
