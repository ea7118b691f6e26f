"""What architectures are: `target` says what passes can ask, a module for each family answers."""
