"""The folder of a sixth game: two players take one to three matches; who takes the last one wins."""
