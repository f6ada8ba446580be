"""Progress of the command line in a terminal."""

from sklearn_calib._cli.progress import Progress


def test_progress_in_a_terminal_is_one_line(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    progress = Progress(total=1)
    progress.step("work")
    progress.clear()
    err = capsys.readouterr().err
    assert "\n" not in err
    assert err.startswith("\r[1/1, 0 s] work ...")
