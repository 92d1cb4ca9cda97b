"""The rules by which output is classified, one TOML file for each kind of outcome."""
