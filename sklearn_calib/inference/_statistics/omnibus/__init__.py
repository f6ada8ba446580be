"""The smallest p-value of several statistics on the same draws, and what its parts say."""

from .omnibus import prepare_omnibus

__all__ = ["prepare_omnibus"]
