"""The commands, a module for each group. `fugue_tui.control.command_table` imports them all."""
