"""The tests of the project, one file per module, and the oracle they are judged by."""
