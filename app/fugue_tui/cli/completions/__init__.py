"""`fugue-tui completions`: completions for bash, zsh and fish, made of the subcommands and the command registry."""
