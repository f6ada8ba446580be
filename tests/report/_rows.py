"""How a value is found among the rows of a report."""


def value(report, name):
    return report.to_frame().loc[name, "value"]
