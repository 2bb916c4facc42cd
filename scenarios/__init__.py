"""Data only: games, scenarios and their sources as TOML."""
