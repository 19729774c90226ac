"""Quarante Voleurs (Forty Thieves, strict form) as a Gymnasium environment."""
