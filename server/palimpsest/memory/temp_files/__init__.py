"""Files that a conversation shares with its forks and children, kept in the database alone."""
