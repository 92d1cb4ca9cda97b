"""What every command is built from: the declaration, targets, results and deferred results."""
