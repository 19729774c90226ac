"""Tests of the play page in a headless Chromium, its server in a thread."""
