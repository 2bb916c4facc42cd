"""From a photo of dice to readings, in small pure steps; knows no rules and no game."""
