"""Independent checks of what the methods claim."""

from treewright.verify._faithful import FaithfulnessReport, check_faithful

__all__ = ["FaithfulnessReport", "check_faithful"]
