"""Commands: the only way to change anything, and the rules for who may."""
