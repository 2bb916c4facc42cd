"""The shared rules-state core: pure values and functions.

Owns the sequence of play, the clocks, commands, events, the state and which entries of a log count.
It knows no game, no time of its own, no chance, no file, no thread and no window.
"""
