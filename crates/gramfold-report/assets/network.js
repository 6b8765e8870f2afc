// Graphs: the name and the group of the node nearest to the pointer.

for (const figure of document.querySelectorAll("figure.network")) {
  const stage = figure.querySelector(".stage");
  if (!stage) continue;
  const svg = stage.querySelector("svg");
  const tip = box(stage);
  const nodes = [...svg.querySelectorAll(".node")].map((node) => ({
    node, x: Number(node.getAttribute("cx")), y: Number(node.getAttribute("cy")),
  }));
  let chosen = null;

  function choose(next) {
    if (chosen) chosen.node.classList.remove("chosen");
    chosen = next;
    if (chosen) chosen.node.classList.add("chosen");
  }
  function point(event) {
    const [frame, outer] = [svg.getBoundingClientRect(), stage.getBoundingClientRect()];
    const scale = svg.viewBox.baseVal.width / frame.width;
    const [x, y] = [(event.clientX - frame.left) * scale, (event.clientY - frame.top) * scale];
    let [best, least] = [null, (20 * scale) ** 2];
    for (const spot of nodes) {
      const distance = (spot.x - x) ** 2 + (spot.y - y) ** 2;
      if (distance < least) [best, least] = [spot, distance];
    }
    choose(best);
    if (!best) return tip.hide();
    const rows = [["head", "node", best.node.dataset.name]];
    if (best.node.dataset.group) rows.push(["head", "group", best.node.dataset.group]);
    tip.show(rows, event.clientX - outer.left + stage.scrollLeft, event.clientY - outer.top + 8);
  }
  svg.addEventListener("pointermove", point);
  svg.addEventListener("pointerdown", point);
  svg.addEventListener("pointerleave", () => { choose(null); tip.hide(); });
}
