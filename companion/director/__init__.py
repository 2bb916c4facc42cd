"""The director's pages in a window: the same values as in a browser, as pages that the one renderer draws."""
