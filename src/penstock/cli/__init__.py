"""The command line: arguments in one file, a file for each command."""
