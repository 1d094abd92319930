"""Live figures: a thin Python shell that checks and packs data, and JavaScript that draws it.

They answer the reader with or without a running kernel; see each module.
"""

from .alignment import AlignmentPair, AlignmentView
from .batches import BatchView
from .beam_tree import BeamView
from .length import LengthView
from .probability import ProbabilityView
from .prototypes import PrototypesView
from .recurrent import RecurrentView
from .states_map import MapView
from .translator import TranslatorView

__all__ = [
    "AlignmentPair",
    "AlignmentView",
    "BatchView",
    "BeamView",
    "LengthView",
    "MapView",
    "ProbabilityView",
    "PrototypesView",
    "RecurrentView",
    "TranslatorView",
]
