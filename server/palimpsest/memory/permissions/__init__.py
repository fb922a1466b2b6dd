"""What the person allowed once and for all, folder by folder."""
