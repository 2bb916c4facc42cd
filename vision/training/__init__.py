"""Makes the models again: renders scenes, trains the networks, measures them. Never imported by the reader."""
