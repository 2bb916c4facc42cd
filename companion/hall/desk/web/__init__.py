"""The director's page, and the display of the hall, for a browser."""
