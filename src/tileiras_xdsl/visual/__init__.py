"""Pictures of what the compiler does."""
