"""All the places of a module where a small fault can be put, as replacements of its text."""

import ast
from dataclasses import dataclass
from pathlib import Path

_COMPARISONS = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
_OPERATIONS = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.FloorDiv: "/",
    ast.Pow: "*",
    ast.Mod: "*",
    ast.BitAnd: "|",
    ast.BitOr: "&",
}
_FUNCTIONS = {
    "maximum": "minimum",
    "minimum": "maximum",
    "max": "min",
    "min": "max",
    "argmax": "argmin",
    "argmin": "argmax",
    "any": "all",
    "all": "any",
    "floor": "ceil",
    "ceil": "floor",
    "zeros": "ones",
    "ones": "zeros",
    "log1p": "log",
    "expm1": "exp",
}


@dataclass(frozen=True)
class Mutant:
    """One fault: the text from ``start`` to ``stop`` of a file is replaced."""

    path: str
    line: int
    kind: str
    start: int
    stop: int
    old: str
    new: str

    def apply(self, source):
        """Return the source with the fault in it."""
        return source[: self.start] + self.new.encode() + source[self.stop :]

    def __str__(self):
        old, new = (" ".join(text.split())[:60] for text in (self.old, self.new))
        return f"{self.path}:{self.line}: {self.kind}: {old} -> {new}"


def mutants_of(root, path):
    """Return the mutants of one module.

    Parameters
    ----------
    root : Path
        Folder that the path is relative to.
    path : str
        Path of the module.

    Returns
    -------
    list of Mutant
        In the order of the text. Annotations, docstrings, messages of errors, decorators, and
        what only a type checker reads are left alone.
    """
    source = (Path(root) / path).read_bytes()
    visitor = _Visitor(source, path)
    visitor.visit(ast.parse(source))
    return sorted(visitor.found, key=lambda mutant: (mutant.start, mutant.new))


class _Visitor(ast.NodeVisitor):
    """Collects the mutants of a syntax tree."""

    def __init__(self, source, path):
        self.source = source
        self.path = path
        self.found = []
        lines = source.splitlines(keepends=True)
        self.offsets = [0]
        for line in lines:
            self.offsets.append(self.offsets[-1] + len(line))

    def _span(self, node):
        start = self.offsets[node.lineno - 1] + node.col_offset
        return start, self.offsets[node.end_lineno - 1] + node.end_col_offset

    def _text(self, node):
        start, stop = self._span(node)
        return self.source[start:stop].decode()

    def _add(self, kind, node, new, span=None):
        start, stop = span or self._span(node)
        old = self.source[start:stop].decode()
        if old != new:
            mutant = Mutant(self.path, node.lineno, kind, start, stop, old, new)
            self.found.append(mutant)

    def _between(self, left, right, kind, node, new, old=None):
        """Replace the operator between two nodes; brackets beside it stay where they are."""
        start, stop = self._span(left)[1], self._span(right)[0]
        gap = self.source[start:stop].decode()
        operator = gap.strip("() \n\\\t") if old is None else old
        at = gap.find(operator)
        if operator and "#" not in gap and at >= 0:
            start += len(gap[:at].encode())
            self._add(kind, node, new, (start, start + len(operator.encode())))

    # What is left alone
    def visit_FunctionDef(self, node):
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        for statement in node.body:
            self.visit(statement)

    def visit_ClassDef(self, node):
        for statement in node.body:
            self.visit(statement)

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.visit(node.value)

    def visit_Raise(self, node):
        self._add("refusal left out", node, "pass")

    def visit_If(self, node):
        if "TYPE_CHECKING" not in self._text(node.test):
            self.generic_visit(node)

    def visit_JoinedStr(self, node):
        """Leave messages alone."""

    # What is changed
    def visit_Compare(self, node):
        self.generic_visit(node)
        left = node.left
        for operator, right in zip(node.ops, node.comparators):
            self._between(left, right, "comparison", node, _COMPARISONS[type(operator)])
            left = right

    def visit_BinOp(self, node):
        self.generic_visit(node)
        new = _OPERATIONS.get(type(node.op))
        text = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
        if new and not text and not isinstance(node.left, ast.JoinedStr):
            self._between(node.left, node.right, "operation", node, new)

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        new = _OPERATIONS.get(type(node.op))
        if new:
            self._between(node.target, node.value, "operation", node, new + "=")

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:]):
            self._between(left, right, "logic", node, new, old)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.USub | ast.Not | ast.Invert):
            self._add("sign or negation", node, self._text(node.operand))

    def visit_Constant(self, node):
        value = node.value
        if value is True or value is False:
            self._add("constant", node, str(not value))
        elif isinstance(value, int):
            self._add("constant", node, str(value + 1))
        elif isinstance(value, float):
            self._add("constant", node, repr(2 * value if value else 1.0))

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Constant):
            return  # a docstring
        self.generic_visit(node)
        if isinstance(node.value, ast.Call):
            self._add("statement left out", node, "pass")

    def visit_Call(self, node):
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else None
        if isinstance(node.func, ast.Name):
            name = node.func.id
        if name == "where" and len(node.args) == 3:
            _, first, second = node.args
            span = self._span(first)[0], self._span(second)[1]
            swapped = f"{self._text(second)}, {self._text(first)}"
            self._add("arguments swapped", node, swapped, span)
        elif name == "clip" and isinstance(node.func, ast.Attribute):
            module = self._text(node.func.value) in ("np", "jnp")
            kept = node.args[0] if module else node.func.value
            self._add("clip left out", node, f"({self._text(kept)})")
        elif name in _FUNCTIONS:
            stop = self._span(node.func)[1]
            self._add("function", node, _FUNCTIONS[name], (stop - len(name), stop))
