"""What this project needs from xDSL and xDSL 0.74 does not have; meant to go upstream."""
