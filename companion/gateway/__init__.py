"""The gateway: a process of its own between the app and the phones, which knows no game, no page and no rule."""
