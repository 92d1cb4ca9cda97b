"""Every command there is: importing this module declares them all."""
