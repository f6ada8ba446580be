"""The reliability curves of several models in one diagram."""

from copy import copy

# More curves than this cannot be told apart.
_MOST = 5


class CurvesTogether:
    """Reliability diagrams on top of each other, without bands and counts.

    Parameters
    ----------
    displays : dict of str to ReliabilityDisplay
        The diagram of each model, the best one first.
    """

    def __init__(self, displays):
        self.displays = displays

    @property
    def left_out(self):
        """The models that are not drawn."""
        return list(self.displays)[_MOST:]

    def plot(self, ax=None):
        """Draw the curves and return this display."""
        for name, display in list(self.displays.items())[:_MOST]:
            bare = copy(display)
            bare.lower = bare.upper = bare.interval = bare.ece = None
            bare.plot(ax=ax, name=name, histogram=False)
            ax = bare.ax_
        self.ax_, self.figure_ = ax, ax.figure
        return self
