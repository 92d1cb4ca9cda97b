"""The sideband: tags in a program's output that ask Fugue for something. Pure parsing, no I/O."""
