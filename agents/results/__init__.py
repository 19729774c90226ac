"""Results: evaluations that are kept, can be stopped and continued, and replayed by anyone."""
