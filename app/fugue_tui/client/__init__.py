"""The process that attaches a terminal to a workspace, or asks it to run one command. Imports nothing heavy."""
