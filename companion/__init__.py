"""Table Companion: the rules-state core, its games and every way of showing and driving them."""

import os

# Products of small matrices are slower on several cores than on one, and the drawing thread needs the others.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
