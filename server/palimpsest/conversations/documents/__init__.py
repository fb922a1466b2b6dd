"""The workspace's documents in conversations and in the editor: links, references, tools that read and find them."""
