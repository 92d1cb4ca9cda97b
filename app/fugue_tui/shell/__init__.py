"""Shell integration: scripts by which bash, zsh and fish mark prompts and commands, and how shells start with them."""
