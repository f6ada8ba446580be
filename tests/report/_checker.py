"""A checker of HTML pages."""

import html.parser


class Checker(html.parser.HTMLParser):
    """Collect what makes a page invalid: elements left open or misplaced, repeated attributes."""

    VOID = frozenset(("meta", "img", "br", "link", "input", "hr"))
    PARENTS = {
        "li": {"ul"},
        "tr": {"thead", "tbody"},
        "td": {"tr"},
        "th": {"tr"},
        "thead": {"table"},
        "tbody": {"table"},
        "figcaption": {"figure"},
        "title": {"head"},
        "meta": {"head"},
        "head": {"html"},
        "body": {"html"},
    }
    BLOCKS = frozenset(("table", "figure", "ul", "div", "main", "h1", "h2", "p"))

    def __init__(self):
        super().__init__(convert_charrefs=False)
        self.open, self.faults, self.seen, self.texts = [], [], [], []
        self.doctype = None

    def handle_decl(self, decl):
        self.doctype = decl
        if self.seen:
            self.faults.append("late doctype")

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if len(dict(attrs)) != len(attrs):
            self.faults.append(f"repeated attribute in {tag}")
        parent = self.open[-1] if self.open else None
        if tag in self.PARENTS and parent not in self.PARENTS[tag]:
            self.faults.append(f"{tag} in {parent}")
        if tag in self.BLOCKS and set(self.open) & {"p", "small", "span", "h1", "h2"}:
            self.faults.append(f"{tag} inside text")
        if tag == "img" and not dict(attrs).get("alt"):
            self.faults.append("image without alt")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"stray </{tag}>")

    def handle_data(self, data):
        if self.open[-1:] != ["style"] and ("<" in data or ">" in data or "&" in data):
            self.faults.append(f"unescaped text {data!r}")
        self.texts.append(data)

    def handle_entityref(self, name):
        if name not in ("amp", "lt", "gt", "quot"):
            self.faults.append(f"unknown entity {name}")
        self.texts.append({"amp": "&", "lt": "<", "gt": ">", "quot": '"'}[name])

    def handle_charref(self, name):
        self.texts.append(chr(int(name[1:], 16) if name.startswith("x") else int(name)))

    def handle_comment(self, data):
        self.faults.append("comment")


def check_page(page):
    checker = Checker()
    checker.feed(page)
    checker.close()
    assert checker.faults == []
    assert checker.open == []
    assert checker.doctype == "DOCTYPE html"
    tags = [tag for tag, _ in checker.seen]
    for single in ("html", "head", "title", "body", "main", "h1"):
        assert tags.count(single) == 1
    assert "script" not in tags
    for tag, attrs in checker.seen:
        assert "href" not in attrs
        assert tag != "img" or attrs["src"].startswith("data:image/png;base64,")
        assert not any(name.startswith("on") for name in attrs)
    return checker
