"""What a test computes from the data."""

from .spiegelhalter import prepare_spiegelhalter

__all__ = ["prepare_spiegelhalter"]
