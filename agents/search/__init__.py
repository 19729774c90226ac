"""Search between two draws: the part of the game that is deterministic and fully visible."""
