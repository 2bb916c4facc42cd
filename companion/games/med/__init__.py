"""The naval trick-taking card game: engagements over operations, cards entered as they come up."""
