"""A `tmux` for programs that drive one: `shim` is the executable, `install` puts it on a PATH."""
