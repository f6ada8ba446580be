"""The package runs nothing that data contain, and writes files in one place.

Read from the syntax trees: no ``eval``, no pickle that is read, no shell, and no file that is
opened for writing outside the writer of files.
"""

import ast
from pathlib import Path

import pytest

import sklearn_calib

ROOT = Path(sklearn_calib.__file__).parent
WRITER = "_utils/files.py"
# Modules that run code from data or start other programs.
MODULES = {
    "pickle", "_pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "subprocess", "pty",
    "commands", "code", "codeop", "runpy", "yaml", "xml", "ctypes", "imp", "tempfile", "shutil",
}  # fmt: skip
NAMES = {"eval", "exec", "compile", "__import__", "input", "breakpoint"}
# Functions that do so, by the last part of their name.
ATTRIBUTES = {
    "system", "popen", "fork", "forkpty", "eval", "query", "read_pickle", "to_pickle", "startfile",
    "write_text", "write_bytes", "touch", "symlink_to", "hardlink_to", "unlink", "rmdir", "rename",
    "renames", "removedirs", "truncate", "to_csv", "to_json", "to_parquet", "to_excel", "to_hdf",
    "tofile", "savetxt", "savez", "savez_compressed", "memmap", "chmod", "chown", "rmtree",
}  # fmt: skip
# The same, where the name alone says too little.
DOTTED = {
    "os.remove", "os.replace", "os.open", "os.truncate", "os.link", "os.symlink", "joblib.load",
    "joblib.dump", "np.load", "np.save", "np.fromfile", "numpy.load", "numpy.save",
}  # fmt: skip
STARTS = ("os.exec", "os.spawn", "os.posix_spawn")


def faults(source, path):
    """Return what a module does that it must not, one line each."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            modules += [alias.name for alias in node.names]
            found += [(node, one) for one in modules if one.split(".")[0] in MODULES]
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        last = name.split(".")[-1]
        if isinstance(node.func, ast.Name) and name in NAMES:
            found.append((node, name))
        if isinstance(node.func, ast.Attribute) and path != WRITER:
            if last in ATTRIBUTES or name in DOTTED or name.startswith(STARTS):
                found.append((node, name))
            if last == "savefig" and "format" not in {one.arg for one in node.keywords}:
                found.append((node, f"{name} to a path"))
        if last == "open" and path != WRITER and not name.endswith("_open"):
            mode = _mode(node, isinstance(node.func, ast.Attribute))
            if not isinstance(mode, str) or set(mode) & set("wax+"):
                found.append((node, f"{name} to write"))
        for keyword in node.keywords:
            if keyword.arg in ("shell", "allow_pickle") and ast.unparse(keyword.value) != "False":
                found.append((node, f"{name} with {keyword.arg}"))
    return [f"{path}:{node.lineno}: {what}" for node, what in found]


def _mode(node, of_path):
    """Return the mode of a call of ``open``, None if it is no constant."""
    given = {one.arg: one.value for one in node.keywords}.get("mode")
    place = 0 if of_path and not ast.unparse(node.func).startswith(("gzip", "bz2", "lzma")) else 1
    if given is None and len(node.args) > place:
        given = node.args[place]
    if given is None:
        return "r"
    return given.value if isinstance(given, ast.Constant) else None


PATHS = [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.rglob("*.py"))]


def test_no_module_runs_data_or_writes_files_by_itself():
    found = []
    for path in PATHS:
        found += faults((ROOT / path).read_text(encoding="utf-8"), path)
    assert found == []


BAD = [
    "eval(text)",
    "exec(text)",
    "compile(text, '', 'eval')",
    "import pickle",
    "from pickle import loads",
    "import subprocess as s",
    "def f():\n    import os.path, marshal",
    "os.system('ls')",
    "os.popen('ls')",
    "os.execv('ls', [])",
    "frame.query('a > 1')",
    "pd.eval('a')",
    "pd.read_pickle(path)",
    "joblib.load(path)",
    "np.load(path)",
    "np.save(path, a)",
    "np.genfromtxt(path, allow_pickle=True)",
    "call(path, shell=True)",
    "open(path, 'w')",
    "open(path, mode='ab')",
    "open(path, mode)",
    "io.open(path, 'r+')",
    "Path(path).open('x')",
    "Path(path).write_text('')",
    "frame.to_csv(path)",
    "figure.savefig(path)",
    "os.replace(a, b)",
    "path.unlink()",
]


@pytest.mark.parametrize("source", BAD)
def test_the_search_finds(source):
    assert len(faults(source, "report/_a.py")) >= 1


GOOD = [
    "open(path)",
    "open(path, 'rb')",
    "Path(path).open()",
    "gzip.open(path, 'rt')",
    "figure.savefig(buffer, format='png')",
    "re.compile('a')",
    "text.replace('a', 'b')",
    "folder.mkdir()",
    "np.genfromtxt(path, allow_pickle=False)",
]


@pytest.mark.parametrize("source", GOOD)
def test_the_search_lets_pass(source):
    assert faults(source, "report/_a.py") == []
