"""Learning to play by imitation: the planner says what it would do where the learner gets to."""
