"""Exact odds of the game's battles, by the same rules functions as play."""
