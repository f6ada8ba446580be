/* Long names may be broken between their words, and nowhere else. A <wbr> is not copied. */
for (const place of document.querySelectorAll(
  ".bd-article :is(code, h1, h2, .sig-name, .sig-prename), .bd-sidebar a, .bd-sidebar-secondary a, " +
  ".prev-next-title, .bd-breadcrumbs li, .bd-article :is(td, li) a",
)) {
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  const texts = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) texts.push(node);
  for (const text of texts) {
    if (text.parentElement.closest("pre, .math")) continue;
    const words = text.data.split(/(?<=[_.(])(?=\w)|(?<=[a-z])(?=[A-Z])/);
    if (words.length > 1 && text.data.length > 12) {
      text.replaceWith(...words.flatMap((word) => [document.createElement("wbr"), word]).slice(1));
    }
  }
}
