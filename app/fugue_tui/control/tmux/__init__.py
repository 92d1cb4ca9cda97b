"""tmux's commands for programs that drive a tmux, each translated into the commands here.

The words of errors are tmux's, as such programs match them. What is not translated fails: a silent success would let a
program wait for ever. Source of the syntax: tmux(1) 3.5.
"""
