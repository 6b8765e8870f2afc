// Looks at the page that it is put into, points at what answers, and tells the page around it what it found.
const size = (element, least) => {
  const box = element.getBoundingClientRect();
  return box.width > least && box.height > least;
};
const decodes = (image) => {
  const copy = new Image();
  copy.src = image.href.baseVal;
  return copy.decode();
};
async function drawn(figure) {
  const images = [...figure.querySelectorAll("image")];
  try {
    await Promise.all(images.map(decodes));
  } catch {
    return false;
  }
  const marks = figure.querySelectorAll("path, polyline, line, rect, circle").length + 3 * images.length;
  return images.every((i) => size(i, 5)) && [...figure.querySelectorAll("svg")].some((s) => size(s, 50)) && marks > 3;
}
// What the box beside the pointer says when it is there.
async function told(element, x, y) {
  element.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: y, bubbles: true }));
  await new Promise((done) => setTimeout(done, 20));
  const tip = element.closest(".stage").querySelector(".tip");
  return tip && !tip.hidden ? tip.innerText.replaceAll("\n", " ") : "nothing";
}
const middle = (element) => {
  const box = element.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
};
const text = (element) => (element ? element.innerText.trim() : "");

(async () => {
  const figures = [...document.querySelectorAll("figure")];
  const all = await Promise.all(figures.map(drawn));
  const found = figures.map((figure, i) => figure.className + ":" + (all[i] ? "drawn" : "NOT DRAWN"));
  for (const node of document.querySelectorAll("circle.node")) {
    found.push("hover[" + (await told(node.ownerSVGElement, ...middle(node))) + "]");
  }
  for (const svg of document.querySelectorAll("svg.matrix[data-row-names]")) {
    // Down the left edge, so that it does not matter which node comes first.
    const frame = svg.querySelector(".cells").getBoundingClientRect();
    for (let i = 0; i < 12; i++) {
      const cell = "cell[" + (await told(svg, frame.left + 1, frame.top + 1 + (i / 12) * frame.height)) + "]";
      if (!found.includes(cell)) found.push(cell);
    }
  }
  for (const svg of document.querySelectorAll("svg.plot")) {
    found.push("chart[" + (await told(svg, ...middle(svg))) + "]");
  }
  const width = document.documentElement.clientWidth;
  const outside = [...document.querySelectorAll("main *, header *")].filter(
    (element) => !element.closest(".scroll, .command, .stage") && element.getBoundingClientRect().right > width + 1,
  );
  found.push("overflow:" + (outside.length > 0 || document.documentElement.scrollWidth > width + 1 ? text(outside[0]) || "page" : "none"));
  // Numbers and headers break between words only.
  const broken = [...document.querySelectorAll("td.number, thead th")].filter((cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
    return lines.size > text(cell).split(/\s+/).length;
  });
  found.push("broken:" + (broken.length > 0 ? text(broken[0]) : "none"));
  found.push("headline[" + text(document.querySelector(".headline")) + "]");
  found.push("sections[" + [...document.querySelectorAll("h2")].map(text).join(", ") + "]");
  found.push("passed:" + document.querySelectorAll(".verdict.good").length, "failed:" + document.querySelectorAll(".verdict.bad").length);
  found.push("scripts:" + (window.intruded === undefined ? "none" : "ran"));
  found.push("width:" + innerWidth, "dark:" + matchMedia("(prefers-color-scheme: dark)").matches);
  parent.postMessage("page{" + location.hash.slice(1) + "\u00a6" + found.join("\u00a6") + "}page", "*");
})();
