"""What tests, pictures and developers use: never imported by the app."""
