"""The film of an evening: its acts, battles, luck and story as values, and how they are written to one HTML page.

A game tells what is its own (`telling.GameFilm`); everything here is pure, knows no file and no window, and shows nothing that
the log and the report may not show.
"""
