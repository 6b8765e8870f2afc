// Heatmaps: row, column and value under the pointer.

// The levels of a large matrix, read off its colours with the legend as the key.
async function levels(svg) {
  async function pixels(image) {
    const source = new Image();
    source.src = image.getAttribute("href");
    await source.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [source.naturalWidth, source.naturalHeight];
    const context = canvas.getContext("2d");
    context.drawImage(source, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    return new Uint32Array(data.buffer);
  }
  const ramp = (await pixels(svg.querySelector(".ramp"))).reverse();
  const level = new Map([...ramp].map((colour, i) => [colour, ramp.length === 1 ? 0 : i / (ramp.length - 1)]));
  return { level, cells: await pixels(svg.querySelector(".cells")) };
}

for (const figure of document.querySelectorAll("figure.heatmap")) {
  const stage = figure.querySelector(".stage");
  if (!stage) continue;
  const svg = stage.querySelector("svg");
  const tip = box(stage);
  const [rows, cols] = [Number(svg.dataset.rows), Number(svg.dataset.cols)];
  const [blockRows, blockCols] = svg.dataset.block.split(" ").map(Number);
  const [low, high] = svg.dataset.range.split(" ").map(Number);
  const across = Math.ceil(cols / blockCols);
  const exact = svg.dataset.values && svg.dataset.values.split(" ").map(Number);
  const image = svg.querySelector(".cells");
  let read = null;

  function value(cell) {
    if (exact) return pretty(exact[cell]);
    if (!read) return "";
    const share = read.level.get(read.cells[cell]);
    // One level in 250 is worth three digits at most.
    return share === undefined ? "–" : "≈ " + pretty(low + share * (high - low), 3);
  }
  const names = (list) => (list === undefined ? null : list.split("\n"));
  const [rowNames, colNames] = [names(svg.dataset.rowNames), names(svg.dataset.colNames)];
  function range(index, block, count, called) {
    const [first, last] = [index * block + 1, Math.min(count, (index + 1) * block)];
    const name = (number) => (called ? called[number - 1] : String(number));
    return first === last ? name(first) : name(first) + " – " + name(last);
  }
  async function point(event) {
    const [frame, outer] = [image.getBoundingClientRect(), stage.getBoundingClientRect()];
    const row = Math.floor((((event.clientY - frame.top) / frame.height) * rows) / blockRows);
    const col = Math.floor((((event.clientX - frame.left) / frame.width) * cols) / blockCols);
    if (row < 0 || col < 0 || row * blockRows >= rows || col * blockCols >= cols) return tip.hide();
    // A browser may refuse to let a script read pixels; then only the place is shown.
    if (!exact && !read) read = await levels(svg).catch(() => null);
    tip.show(
      [
        ["head", "row", range(row, blockRows, rows, rowNames)],
        ["head", "column", range(col, blockCols, cols, colNames)],
        ["", "value", value(row * across + col)],
      ],
      event.clientX - outer.left,
      event.clientY - outer.top + 8,
    );
  }
  svg.addEventListener("pointermove", point);
  svg.addEventListener("pointerdown", point);
  svg.addEventListener("pointerleave", () => tip.hide());
}
