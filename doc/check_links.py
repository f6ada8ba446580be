"""Check that every link inside the built site leads somewhere: `python doc/check_links.py SITE`."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """Collect the targets and the anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        """Look at the attributes that link or can be linked to."""
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            if name in ("href", "src") and value:
                self.links.append(value)


def broken_links(site):
    """Return one line per link of the site to a file or an anchor that does not exist."""
    files = (path for path in sorted(Path(site).rglob("*.html")) if "_static" not in path.parts)
    pages = {path.resolve(): _Page(path) for path in files}
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            known = target not in pages or not anchor or anchor in pages[target].anchors
            if not target.exists() or not known:
                broken.append(f"{path.relative_to(Path(site).resolve())}: {link}")
    return broken


if __name__ == "__main__":
    found = broken_links(sys.argv[1])
    print(*found, sep="\n")
    print(f"{len(found)} broken links")
    sys.exit(bool(found))
