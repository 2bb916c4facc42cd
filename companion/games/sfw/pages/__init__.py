"""What the game shows: its state as pages, without a window and without files."""
