"""The command line. Importing this package loads nothing."""
