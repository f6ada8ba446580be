"""The elements that the pages of reports are made of."""

import html

from ..._utils.files import write_file
from ..._utils.results import one_line

STYLE = """
.sklearn-calib { font: 16px/1.5 system-ui, sans-serif; color: #1b1f24; background: #fff;
  max-width: 46rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
.sklearn-calib h1 { font-size: 1.5rem; line-height: 1.2; margin: 0 0 .5rem; }
.sklearn-calib h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.sklearn-calib .verdict { border-left: 4px solid #0072B2; background: #eef4f8;
  padding: .6rem .8rem; margin: 0; }
.sklearn-calib h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
.sklearn-calib .model { border-top: 3px solid #57606a; margin-top: 3rem; }
.sklearn-calib .advice { border-left: 4px solid #8a6d00; background: #fbf6e6;
  padding: .6rem .8rem; margin: .8rem 0 0; }
.sklearn-calib .wide { overflow-x: auto; }
.sklearn-calib .wide th:first-child { overflow-wrap: normal; }
.sklearn-calib details { font-size: .875rem; margin: .8rem 0; }
.sklearn-calib summary { cursor: pointer; font-weight: 600; }
.sklearn-calib table { border-collapse: collapse; width: 100%; font-size: .875rem;
  font-variant-numeric: tabular-nums; }
.sklearn-calib th, .sklearn-calib td { text-align: right; padding: .35rem .3rem;
  border-bottom: 1px solid #d4d9de; vertical-align: top; overflow-wrap: normal; }
.sklearn-calib th:first-child, .sklearn-calib td:first-child { text-align: left;
  overflow-wrap: anywhere; }
.sklearn-calib thead th, .sklearn-calib thead td { border-bottom: 2px solid #57606a; }
.sklearn-calib tbody th { font-weight: 600; }
.sklearn-calib small { display: block; color: #57606a; font-weight: 400; font-size: .75rem; }
.sklearn-calib .significant { font-weight: 700; }
.sklearn-calib figure { margin: 1rem 0; }
.sklearn-calib img { max-width: 100%; height: auto; display: block; margin: 0 auto; }
.sklearn-calib figcaption { font-size: .875rem; color: #424a53; }
.sklearn-calib .notes { font-size: .8125rem; color: #424a53; padding-left: 1.2rem; }
@media screen and (prefers-color-scheme: dark) {
  .sklearn-calib { color: #e6edf3; background: #0d1117; }
  .sklearn-calib .verdict { border-color: #58a6ff; background: #152338; }
  .sklearn-calib .advice { border-color: #d4a72c; background: #2a230f; }
  .sklearn-calib th, .sklearn-calib td { border-color: #3d444d; }
  .sklearn-calib thead th, .sklearn-calib thead td { border-color: #9198a1; }
  .sklearn-calib small, .sklearn-calib figcaption, .sklearn-calib .notes { color: #b1bac4; }
  .sklearn-calib a { color: #79c0ff; }
  .sklearn-calib img { background: #fff; border-radius: 4px; padding: 4px; box-sizing: border-box; }
}
@media print {
  .sklearn-calib { max-width: none; padding: 0; font-size: 11pt; }
  .sklearn-calib figure, .sklearn-calib tr, .sklearn-calib .verdict, .sklearn-calib .advice {
    break-inside: avoid; }
  .sklearn-calib h2, .sklearn-calib h3 { break-after: avoid; }
}
"""

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ margin: 0; }}
@media screen and (prefers-color-scheme: dark) {{ body {{ background: #0d1117; }} }}
{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


def whole_page(title, body):
    """Return a page that needs nothing else."""
    return _PAGE.format(title=escape(title), style=STYLE, body=body)


def part_of_page(body):
    """Return a part of another page, such as a notebook."""
    return f"<style>{STYLE}</style>\n{body}"


def enclose(element, parts):
    """Return parts of a report as one element."""
    inner = "\n".join(parts)
    return f'<{element} class="sklearn-calib">\n{inner}\n</{element}>'


def write_page(page, path):
    """Write a page to a file and return None, or return the page if there is no file."""
    if path is None:
        return page
    write_file(path, page.encode())
    return None


def table(header, rows):
    """Return a table; the first cell of each row is its heading."""
    lines = ["<table>", "<thead><tr>"]
    lines += [f'<th scope="col">{cell}</th>' if cell else "<td></td>" for cell in header]
    lines += ["</tr></thead>", "<tbody>"]
    for first, *others in rows:
        cells = "".join(f"<td>{cell}</td>" for cell in others)
        lines.append(f'<tr><th scope="row">{first}</th>{cells}</tr>')
    lines += ["</tbody>", "</table>"]
    return "\n".join(lines)


def strong(text, condition=True):
    """Return text in bold if a condition holds."""
    return f'<span class="significant">{text}</span>' if condition else text


def escape(text):
    """Return text as HTML, in one line; see `one_line`."""
    return html.escape(one_line(text))
