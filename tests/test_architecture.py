"""The layers of the package, read from its syntax trees.

Imports go downwards only and never in a circle, JAX stays in the core, matplotlib inside the
functions that draw, Dask inside functions, and private names of scikit-learn in the compatibility
module. Modules and folders stay small, and a private folder is marked by its own name alone.
"""

import ast
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

import sklearn_calib

ROOT = Path(sklearn_calib.__file__).parent
LAYERS = [
    {"_core"},
    {"_utils"},
    {"_data"},
    {"base", "kernels", "metrics", "datasets"},
    {"calibrators", "inference"},
    {"streaming"},
    {"display"},
    {"report"},
    {"__init__"},
    {"_cli"},
    {"__main__"},
]
LEVEL = {unit: level for level, units in enumerate(LAYERS) for unit in units}
DRAWS = {"display", "report", "_cli"}
COMPATIBILITY = "sklearn_calib._utils.compat"


def _modules():
    """Return {dotted name: path}; a folder's ``__init__`` has the name of the folder."""
    modules = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = ["sklearn_calib", *path.relative_to(ROOT).with_suffix("").parts]
        if parts[-1] == "__init__":
            parts.pop()
        modules[".".join(parts)] = path
    return modules


MODULES = _modules()


def _unit(module):
    """Return the layer unit of a module of the package: the folder or file below the root."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def _imports(tree, module, is_package):
    """Yield (node, dotted target, imported name or None) with relative imports resolved."""
    package = module.split(".") if is_package else module.split(".")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node, alias.name, None
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            target = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node, target, alias.name


def _is_private(part):
    return part.startswith("_") and not part.startswith("__")


def _inside_functions(tree):
    """Return the ids of the nodes that do not run when the module is imported."""
    return {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for node in ast.walk(function)
    }


def violations(source, module, is_package=False):
    """Return what a module does against the rules, one line each."""
    tree = ast.parse(source)
    unit = _unit(module)
    found = []
    inside_functions = _inside_functions(tree)

    def report(node, text):
        found.append(f"{module}:{node.lineno}: {text}")

    for node, target, name in _imports(tree, module, is_package):
        top = target.split(".")[0]
        full = target if name is None else f"{target}.{name}"
        if top == "sklearn_calib":
            other = _unit(target)
            if other == "__init__" and name in LEVEL:  # from . import metrics
                other = name
            if other not in LEVEL:
                report(node, f"imports the unknown unit {other}")
            elif other != unit and LEVEL[other] >= LEVEL.get(unit, -1):
                report(node, f"imports {other}, which is not a layer below {unit}")
        if top in ("jax", "jaxlib", "optax") and unit != "_core":
            report(node, f"imports {top} outside _core")
        if full == "jax.config" or full.startswith(("jax.config.", "jax.experimental.enable_x64")):
            report(node, f"uses {full}")
        if top == "matplotlib":
            if unit not in DRAWS:
                report(node, "imports matplotlib in a module that does not draw")
            elif id(node) not in inside_functions:
                report(node, "imports matplotlib outside a function")
        if top in ("dask", "distributed") and id(node) not in inside_functions:
            report(node, f"imports {top} outside a function")
        if top == "sklearn" and module != COMPATIBILITY and any(map(_is_private, full.split("."))):
            report(node, f"imports the private name {full}")
        if top == "importlib" and unit != "__init__":
            report(node, "imports by text, which this test cannot follow")

    read = {  # getattr(jax.config, name, ...) reads a setting and changes nothing
        id(node.args[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "getattr" and node.args
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            dotted = f"{node.value.id}.{node.attr}"
            if dotted == "jax.config" and id(node) not in read:
                report(node, "uses jax.config")
            if dotted == "os.putenv" or (dotted == "os.environ" and unit == "_core"):
                report(node, f"uses {dotted}")
        if (
            isinstance(node, ast.Subscript)
            and not isinstance(node.ctx, ast.Load)
            and ast.unparse(node.value) == "os.environ"
        ):
            report(node, "changes os.environ")
        if isinstance(node, ast.Name) and node.id == "__import__":
            report(node, "imports by text, which this test cannot follow")
    return found


@pytest.mark.parametrize("module", MODULES)
def test_module_keeps_the_rules(module):
    path = MODULES[module]
    source = path.read_text(encoding="utf-8")
    assert violations(source, module, path.name == "__init__.py") == []


def test_every_module_belongs_to_a_layer():
    assert {_unit(module) for module in MODULES} <= set(LEVEL)


BAD = {
    "upwards": ("from ..metrics import ece", "sklearn_calib._utils.docs", "imports metrics"),
    "upwards, whole": ("from .. import metrics", "sklearn_calib._core.gate", "imports metrics"),
    "upwards, absolute": (
        "import sklearn_calib.metrics",
        "sklearn_calib._core.gate",
        "imports metrics",
    ),
    "upwards, late": (
        "def f():\n    from ..calibrators import PlattCalibrator",
        "sklearn_calib.metrics._binned",
        "imports calibrators",
    ),
    "sideways": ("from .metrics import ece", "sklearn_calib.base", "imports metrics"),
    "sideways, folders": (
        "from ...inference import check_calibration",
        "sklearn_calib.calibrators._binary.platt",
        "imports inference",
    ),
    "root": (
        "from sklearn_calib import ece",
        "sklearn_calib.metrics._binned",
        "imports __init__",
    ),
    "root, relative": ("from . import __version__", "sklearn_calib.report", "imports __init__"),
    "unknown unit": ("from .helpers import f", "sklearn_calib.base", "unknown unit helpers"),
    "jax": ("import jax.numpy as jnp", "sklearn_calib.metrics._kernel", "imports jax outside"),
    "jax, late": (
        "def f():\n    from jax import jit",
        "sklearn_calib.calibrators._kernel",
        "imports jax outside",
    ),
    "optax": ("import optax", "sklearn_calib.calibrators._kernel", "imports optax outside"),
    "jax config": (
        "import jax\njax.config.update('jax_enable_x64', True)",
        "sklearn_calib._core.gate",
        "uses jax.config",
    ),
    "jax config, from": (
        "from jax import config",
        "sklearn_calib._core.gate",
        "uses jax.config",
    ),
    "jax config, module": (
        "from jax.config import config",
        "sklearn_calib._core.gate",
        "uses jax.config",
    ),
    "environment": (
        "import os\nos.environ['JAX_PLATFORMS'] = 'cpu'",
        "sklearn_calib.datasets",
        "changes os.environ",
    ),
    "environment, read in the core": (
        "import os\nos.environ.get('JAX_PLATFORMS')",
        "sklearn_calib._core.gate",
        "uses os.environ",
    ),
    "matplotlib, top": (
        "import matplotlib.pyplot as plt",
        "sklearn_calib.display._style",
        "outside a function",
    ),
    "matplotlib, class": (
        "class A:\n    from matplotlib import cm",
        "sklearn_calib.report",
        "outside a function",
    ),
    "matplotlib, metrics": (
        "def f():\n    import matplotlib",
        "sklearn_calib.metrics._binned",
        "does not draw",
    ),
    "dask, top": ("from dask import delayed", "sklearn_calib._data.sums", "outside a function"),
    "private sklearn name": (
        "from sklearn.base import _fit_context",
        "sklearn_calib.base",
        "private name sklearn.base._fit_context",
    ),
    "private sklearn module": (
        "from sklearn.utils._param_validation import Interval",
        "sklearn_calib.base",
        "private name sklearn.utils._param_validation",
    ),
    "private sklearn import": (
        "import sklearn.metrics._scorer",
        "sklearn_calib._utils.options",
        "private name sklearn.metrics._scorer",
    ),
    "by text": (
        "from importlib import import_module",
        "sklearn_calib.base",
        "imports by text",
    ),
    "by dunder": ("__import__('jax')", "sklearn_calib.base", "imports by text"),
}


@pytest.mark.parametrize("case", BAD)
def test_the_checker_catches(case):
    source, module, words = BAD[case]
    found = violations(source, module)
    assert len(found) >= 1
    assert all(words in line for line in found)


GOOD = {
    "a setting of jax is read": (
        "import jax\nvalue = getattr(jax.config, 'jax_enable_x64', None)",
        "sklearn_calib._core.gate",
    ),
    "downwards": ("from .._utils.options import check_option", "sklearn_calib.metrics._scorers"),
    "same folder": ("from ._binned import ece", "sklearn_calib.metrics._scorers"),
    "core in core": ("import jax\nwith jax.enable_x64(True): pass", "sklearn_calib._core.gate"),
    "matplotlib in a method": (
        "class A:\n    def plot(self):\n        import matplotlib.pyplot",
        "sklearn_calib.display._style",
    ),
    "compatibility": ("from sklearn.base import _fit_context", COMPATIBILITY),
    "dunder of scikit-learn": ("from sklearn import __version__", "sklearn_calib.base"),
    "environment, read": ("import os\nos.environ.get('HOME')", "sklearn_calib.datasets"),
    "command line": ("from . import __version__", "sklearn_calib.__main__"),
}


@pytest.mark.parametrize("case", GOOD)
def test_the_checker_lets_pass(case):
    assert violations(*GOOD[case]) == []


def test_relative_imports_of_a_folder_start_at_the_folder():
    source = "from ._binned import ece\nfrom .._core import pair_form"
    assert violations(source, "sklearn_calib.metrics", is_package=True) == []
    assert violations("from ..report import f", "sklearn_calib.metrics", is_package=True) != []


# Imports in a circle.


def import_graph(sources):
    """Return {module: modules that it imports when it is imported itself}.

    Parameters
    ----------
    sources : dict
        {dotted name: (source, whether it is the ``__init__`` of a folder)}.
    """
    graph = {}
    for module, (source, is_package) in sources.items():
        tree = ast.parse(source)
        later = _inside_functions(tree)
        graph[module] = set()
        for node, target, name in _imports(tree, module, is_package):
            if id(node) not in later:
                submodule = f"{target}.{name}"
                graph[module].add(submodule if submodule in sources else target)
    return {module: targets & set(sources) for module, targets in graph.items()}


def circle(sources):
    """Return modules that import each other in a circle, or nothing."""
    try:
        TopologicalSorter(import_graph(sources)).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_modules_import_each_other_in_a_circle():
    sources = {
        module: (path.read_text(encoding="utf-8"), path.name == "__init__.py")
        for module, path in MODULES.items()
    }
    graph = import_graph(sources)
    assert "sklearn_calib.metrics._binned.bins" in graph["sklearn_calib.metrics"]
    assert circle(sources) == []


def test_the_search_for_circles_finds_them():
    sources = {
        "p": ("", True),
        "p.a": ("from .b import f", False),
        "p.b": ("class B:\n    from . import c", False),
        "p.c": ("if True:\n    import p.a", False),
    }
    assert set(circle(sources)) == {"p.a", "p.b", "p.c"}
    through_the_folder = {"p.q": ("from .a import f", True), "p.q.a": ("from ..q import g", False)}
    assert set(circle(through_the_folder)) == {"p.q", "p.q.a"}
    to_itself = {"p.a": ("from .a import f", False)}
    assert set(circle(to_itself)) == {"p.a"}


def test_an_import_inside_a_function_closes_no_circle():
    sources = {
        "p.a": ("from .b import f", False),
        "p.b": ("def f():\n    from .a import g", False),
    }
    assert circle(sources) == []


# Sizes and names of files.

TESTS = Path(__file__).parent
MOST_LINES, MOST_FILES = 500, 15
# Modules that are still too long: each has to leave this list as soon as it is short enough.
TOO_LONG: set[str] = set()


def _shown(path):
    above = (
        ROOT.parent if path.is_relative_to(ROOT) else TESTS.parent
    )  # the package may be elsewhere
    return path.relative_to(above).as_posix()


def _files():
    """Return every module of the package and of the tests, those too long as expected failures."""
    files = [*sorted(ROOT.rglob("*.py")), *sorted(TESTS.rglob("*.py"))]
    too_long = pytest.mark.xfail(strict=True, reason="is being split")
    return [
        pytest.param(path, id=_shown(path), marks=[too_long] if _shown(path) in TOO_LONG else [])
        for path in files
    ]


@pytest.mark.parametrize("path", _files())
def test_no_module_is_too_long(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def _folders(root):
    return sorted({path.parent for path in root.rglob("*.py")})


@pytest.mark.parametrize("folder", [*_folders(ROOT), *_folders(TESTS)], ids=_shown)
def test_no_folder_holds_too_many_files(folder):
    assert len([*folder.glob("*.py")]) <= MOST_FILES


def misnamed(paths):
    """Return the paths, relative to the package, that break the rule of the one underscore.

    Inside a private folder nothing is marked private once more. Directly in a public folder
    everything is, since its names are imported from the folder; only the root has public modules.
    """
    found = []
    for path in paths:
        *folders, name = path.split("/")
        inside_private = any(folder.startswith("_") for folder in folders)
        if not folders or name == "__init__.py":
            continue
        if name.startswith("_") == inside_private:
            found.append(path)
    return found


def test_the_underscore_stands_once():
    paths = {path.relative_to(ROOT) for path in ROOT.rglob("*.py")}
    folders = {folder for path in paths for folder in path.parents} - {Path()}
    assert misnamed(path.as_posix() for path in sorted(paths | folders)) == []


def test_the_rule_of_the_underscore_finds_names_with_none_and_with_two():
    right = ["base.py", "__main__.py", "_core", "_core/ways", "_core/ways/line.py", "metrics/_a.py"]
    right += ["metrics/_kernel", "metrics/_kernel/skce.py", "metrics/_kernel/__init__.py"]
    wrong = ["_core/_ways", "_core/ways/_line.py", "metrics/_kernel/_skce.py", "metrics/skce.py"]
    assert misnamed(right + wrong) == wrong


def test_every_folder_of_the_package_has_a_folder_of_tests():
    folders = {path.relative_to(ROOT) for path in _folders(ROOT)}
    assert folders - {path.relative_to(TESTS) for path in _folders(TESTS)} == set()


# Public names.

PUBLIC = [
    module for module in MODULES if not any(part.startswith("_") for part in module.split("."))
]


@pytest.mark.parametrize("module", PUBLIC)
def test_public_modules_list_their_names(module):
    loaded = import_module(module)
    assert sorted(set(loaded.__all__)) == sorted(loaded.__all__)
    for name in loaded.__all__:
        assert getattr(loaded, name) is not None
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    if MODULES[module].name == "__init__.py" and module != "sklearn_calib":
        imported = {
            alias.asname or alias.name
            for node in tree.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if not _is_private(alias.asname or alias.name)
        }
        made = {name for name in loaded.__all__ if name not in vars(loaded)}
        assert imported == set(loaded.__all__) - made
        assert not made or module == "sklearn_calib.metrics"  # its scorers
    else:
        defined = {
            node.name
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
        }
        assert defined <= set(loaded.__all__)


def test_names_that_older_scikit_learn_used_are_gone():
    """The package must not lean on what newer releases removed."""
    gone = (
        "needs_proba",
        "needs_threshold",
        "base_estimator",
        '"prefit"',
        "_more_tags",
        "if_delegate",
    )
    for module, path in MODULES.items():
        source = path.read_text(encoding="utf-8")
        assert [name for name in gone if name in source] == [], module
