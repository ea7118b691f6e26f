"""What architectures can do, in numbers: one file for each, read by the passes that choose."""
