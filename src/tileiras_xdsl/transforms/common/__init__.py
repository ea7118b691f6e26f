"""What several levels share: the architecture, kernel specifications, hints, symbol names."""
