"""What a user can set in `config.toml`."""
