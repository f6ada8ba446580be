from sklearn_calib._core import gate


def start_without_programs(monkeypatch):
    """Let a test count the programs that it compiles itself."""
    monkeypatch.setattr(gate, "programs", gate.Programs(gate.MOST_PROGRAMS))


def n_programs(function):
    """Return how many programs JAX holds for a function of the core."""
    kept = [program for key, program in gate.programs.kept.items() if key[0] is function]
    return sum(program._cache_size() for program in kept)
