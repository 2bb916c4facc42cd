"""One package per game family; families never import each other."""
