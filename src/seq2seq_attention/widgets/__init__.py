"""Live figures: a thin Python shell that checks and packs data, and JavaScript that draws it.

They answer the reader with or without a running kernel; see each module.
"""

from .alignment import AlignmentPair, AlignmentView
from .prototypes import PrototypesView

__all__ = ["AlignmentPair", "AlignmentView", "PrototypesView"]
