"""Data of one game."""
