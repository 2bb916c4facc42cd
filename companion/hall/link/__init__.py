"""The way to a broker, and the process that holds it for a table."""
