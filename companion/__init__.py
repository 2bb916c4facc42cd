"""Table Companion: the rules-state core, its games and every way of showing and driving them."""
