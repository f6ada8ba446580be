"""What a kernel recalibrator says of its parts."""

from sklearn_calib.calibrators._features.words import describe


def test_a_part_of_at_most_a_thousandth_of_the_log_odds_is_not_used():
    sizes = {"score": 0.001, "linear": 0.0011, "networks": 0.25, "trees": 0.0}
    assert describe(sizes, [0.5, 0.4567]) == (
        "Linear map (0.00), networks (0.25); not used: score map, trees. Held-out log loss 0.457 "
        "instead of 0.500."
    )


def test_no_part_and_no_held_out_rows():
    nan = float("nan")
    assert describe({"groups": 0.0}, [nan, nan]) == "No correction; not used: shifts by group."
    assert describe({"categories": 2.0}, [nan, nan]) == "Shifts by category (2.00)."
