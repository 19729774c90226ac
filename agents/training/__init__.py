"""The parts of ``train.py``: configs, networks, run folders, checkpoints, callbacks, curves."""
