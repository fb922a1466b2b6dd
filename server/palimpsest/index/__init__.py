"""The names of a workspace, kept in a database: built by a process of its own, asked by the server."""
