"""Expert iteration: the sampler teaches the ranking that the planner and it play by."""
