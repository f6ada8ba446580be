"""What reports share: they are pages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from os import PathLike

from ..._utils.results import Result
from .markup import enclose, part_of_page, whole_page, write_page


class Page(Result, ABC):
    """A report that can be written as a page."""

    title: str

    @abstractmethod
    def _html_parts(self) -> list[str]:
        """Return the headline and the sections as HTML."""

    def _repr_html_(self) -> str:
        return part_of_page(enclose("div", self._html_parts()))

    def to_html(self, path: str | PathLike[str] | None = None) -> str | None:
        """Write the report as one self-contained HTML file, pictures included.

        Parameters
        ----------
        path : str or path-like, default=None
            The file; None returns the page as text.

        Returns
        -------
        page : str or None
            The page, if `path` is None.
        """
        return write_page(whole_page(self.title, enclose("main", self._html_parts())), path)
