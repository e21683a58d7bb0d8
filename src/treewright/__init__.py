"""Decision trees that people can read, check and trust."""

__version__ = "0.1.0"
