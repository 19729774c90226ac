"""Anything that chooses moves: the agents, what loads them, and what evaluates them."""
