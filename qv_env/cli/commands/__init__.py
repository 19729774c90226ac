"""The commands of `qv`, one module each; see `qv_env.cli.group`.

Everything heavy is imported inside the function that needs it, so that ``qv --help`` is quick.
"""
