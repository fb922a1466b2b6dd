"""Parts of replies that were given an id: read from tags, kept in versions, shown."""
