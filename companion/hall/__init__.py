"""A tournament at many tables: its record, pairing, standings and paper. Optional: nothing else in the companion needs it."""
