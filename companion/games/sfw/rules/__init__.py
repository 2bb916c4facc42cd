"""What the game's rules decide: pure, and knowing the core only."""
