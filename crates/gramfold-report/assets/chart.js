// Charts: a guide that snaps to the nearest x, and a legend that hides series.

for (const figure of document.querySelectorAll("figure.chart")) {
  const stage = figure.querySelector(".stage");
  if (!stage) continue;
  const svg = stage.querySelector("svg");
  const { width, height } = svg.viewBox.baseVal;
  const tip = box(stage);
  const series = [...svg.querySelectorAll(".series")].map((group) => ({
    group,
    hidden: false,
    name: group.dataset.name,
    colour: group.classList[1],
    pixels: group.querySelector("polyline").getAttribute("points").split(" ").map((p) => p.split(",").map(Number)),
    x: group.dataset.x.split(" ").map(Number),
    y: group.dataset.y.split(" ").map(Number),
    names: group.dataset.names === undefined ? null : group.dataset.names.split("\n"),
    scattered: group.dataset.scattered !== undefined,
  }));
  const axis = svg.querySelector("line.axis");
  const [top, bottom] = [svg.querySelectorAll("line.axis")[1].y1.baseVal.value, axis.y1.baseVal.value];
  const hover = drawn(svg, "g", {});
  let current = null;

  const visible = () => series.filter((one) => !one.hidden);
  function nearest(one, x) {
    let best = 0;
    one.pixels.forEach((p, i) => {
      if (Math.abs(p[0] - x) < Math.abs(one.pixels[best][0] - x)) best = i;
    });
    return best;
  }
  function clear() {
    current = null;
    hover.replaceChildren();
    tip.hide();
  }
  function show(x) {
    let head = null;
    for (const one of visible()) {
      const i = nearest(one, x);
      const distance = Math.abs(one.pixels[i][0] - x);
      if (!head || distance < head.distance) head = { distance, pixel: one.pixels[i][0], value: one.x[i] };
    }
    if (!head) return clear();
    current = head.pixel;
    hover.replaceChildren();
    drawn(hover, "line", { class: "guide", x1: current, x2: current, y1: top, y2: bottom });
    const rows = [["head", svg.dataset.xLabel || "x", pretty(head.value)]];
    for (const one of visible()) {
      const i = nearest(one, current);
      const [px, py] = one.pixels[i];
      // A series without a point near the guide has no value to show there.
      if (Math.abs(px - current) > 12) continue;
      drawn(hover, "circle", { class: "dot " + one.colour, cx: px, cy: py, r: 4 });
      const elsewhere = one.x[i] === head.value ? "" : " (at " + pretty(one.x[i]) + ")";
      rows.push(["row " + one.colour, one.name || "value", pretty(one.y[i]) + elsewhere]);
    }
    tip.show(rows, (current / width) * svg.clientWidth, (top / height) * svg.clientHeight);
  }
  // Of points that stand by themselves the nearest in both directions.
  function pick(x, y) {
    let best = null;
    for (const one of visible()) {
      one.pixels.forEach((p, i) => {
        const distance = (p[0] - x) ** 2 + (p[1] - y) ** 2;
        if (!best || distance < best.distance) best = { distance, one, i };
      });
    }
    if (!best) return clear();
    const { one, i } = best;
    const [px, py] = one.pixels[i];
    current = px;
    hover.replaceChildren();
    drawn(hover, "circle", { class: "dot " + one.colour, cx: px, cy: py, r: 4 });
    const rows = [["row " + one.colour, one.names ? one.names[i] : one.name || "point", ""]];
    rows.push(["head", svg.dataset.xLabel || "x", pretty(one.x[i])], ["head", svg.dataset.yLabel || "y", pretty(one.y[i])]);
    tip.show(rows, (px / width) * svg.clientWidth, (py / height) * svg.clientHeight);
  }
  function point(event) {
    tip.speak(false);
    const frame = svg.getBoundingClientRect();
    const [x, y] = [((event.clientX - frame.left) / frame.width) * width, ((event.clientY - frame.top) / frame.height) * height];
    if (visible().every((one) => one.scattered)) pick(x, y);
    else show(x);
  }
  function key(event) {
    if (event.key === "Escape") return clear();
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    tip.speak(true);
    const places = [...new Set(visible().flatMap((one) => one.pixels.map((p) => p[0])))].sort((a, b) => a - b);
    const here = current === null ? (step > 0 ? -1 : places.length) : places.indexOf(current);
    const next = places[Math.min(places.length - 1, Math.max(0, here + step))];
    if (next !== undefined) show(next);
  }
  svg.addEventListener("pointermove", point);
  svg.addEventListener("pointerdown", point);
  svg.addEventListener("pointerleave", clear);
  svg.addEventListener("blur", clear);
  svg.addEventListener("keydown", key);

  for (const button of figure.querySelectorAll(".legend button")) {
    const one = series.find((s) => s.group.dataset.series === button.dataset.series);
    if (!one) continue;
    button.addEventListener("click", () => {
      one.hidden = !one.hidden;
      one.group.style.display = one.hidden ? "none" : "";
      button.setAttribute("aria-pressed", String(!one.hidden));
      clear();
    });
  }
}
