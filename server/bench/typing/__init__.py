"""What commits added, typed letter by letter as a person would, and what is shown on the way."""
