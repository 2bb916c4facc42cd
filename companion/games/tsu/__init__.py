"""The Soft Underbelly: seasons, stars, and attacks that are calculated, never rolled."""
