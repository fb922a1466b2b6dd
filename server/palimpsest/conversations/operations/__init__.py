"""What a model can call: one table, checked arguments, results as XML."""
