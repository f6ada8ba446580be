// What is wrong with the page as it is shown now, in a light or dark scheme: a list of texts.
(async (scheme) => {
  const found = new Set();
  const shorten = (text) => text.trim().replace(/\s+/g, " ").slice(0, 60);
  const page = document.documentElement;
  // The theme follows the scheme when a frame is drawn, which a tab in the background waits for.
  if (page.dataset.theme) page.dataset.theme = scheme;
  const width = page.clientWidth;
  if (width <= 600 && page.scrollWidth > width) {
    const scrolls = (element) => {
      for (let up = element.parentElement; up; up = up.parentElement) {
        if (getComputedStyle(up).overflowX !== "visible" && up !== document.body) return true;
      }
      return false;
    };
    const wide = [...document.querySelectorAll("body *")].find(
      (element) => element.getBoundingClientRect().right > width + 1 && !scrolls(element));
    const what = wide ? `<${wide.localName} class="${wide.className}">` : "the page";
    found.add(`scrolls sideways: ${page.scrollWidth} px wide because of ${what}`);
  }

  for (const image of document.images) {
    image.loading = "eager";
    const arrived = (done) => (image.onload = image.onerror = done);
    const patience = (done) => setTimeout(done, 10000);
    if (!image.complete) await Promise.race([new Promise(arrived), new Promise(patience)]);
    if (!image.naturalWidth) found.add(`picture not loaded: ${image.getAttribute("src")}`);
  }

  // Colours are red, green, blue and opacity; a canvas reads every notation.
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const read = (color) => {
    if (!known.has(color)) {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
      known.set(color, [r, g, b, a / 255]);
    }
    return known.get(color);
  };
  const blend = (over, under) => [0, 1, 2].map((k) => over[3] * over[k] + (1 - over[3]) * under[k]);
  const luminance = (color) => {
    const [r, g, b] = color.slice(0, 3).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = (element) => {
    const layers = [];
    for (let up = element; up; up = up.parentElement) {
      const style = getComputedStyle(up);
      if (style.backgroundImage !== "none") return null;
      layers.push(read(style.backgroundColor));
      if (layers.at(-1)[3] === 1) break;
    }
    let color = [255, 255, 255];
    for (const layer of layers.reverse()) color = blend(layer, color);
    return color;
  };

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const looked = new Map();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest("script, style, noscript, svg")) continue;
    if (!element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width < 2 || box.height < 2) continue;

    // A word of a name may not be broken, unless it is wider than the page.
    if (element.closest("code, .sig, h1, h2, td a, li a")) {
      for (const match of node.data.matchAll(/[A-Za-z0-9]?[a-z0-9]{2,}/g)) {
        range.setStart(node, match.index);
        range.setEnd(node, match.index + match[0].length);
        const tops = new Set([...range.getClientRects()].map((one) => Math.round(one.top / 4)));
        if (tops.size > 1) found.add(`word broken: ${match[0]}`);
      }
    }

    if (looked.has(element)) continue;
    const style = getComputedStyle(element);
    const under = background(element);
    looked.set(element, true);
    if (under === null || element.closest(":disabled, [aria-disabled=true]")) continue;
    let opacity = 1;
    for (let up = element; up; up = up.parentElement) opacity *= getComputedStyle(up).opacity;
    const [r, g, b, a] = read(style.color);
    const [light, dark] = [luminance(blend([r, g, b, a * opacity], under)), luminance(under)]
      .sort((a, b) => b - a);
    const contrast = (light + 0.05) / (dark + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && parseInt(style.fontWeight) >= 700);
    if (contrast < (large ? 3 : 4.5) - 0.005) {
      const selector = element.localName + [...element.classList].map((one) => `.${one}`).join("");
      found.add(`contrast ${contrast.toFixed(2)}: ${selector} "${shorten(node.data)}"`);
    }
  }
  return [...found];
})
