// The box beside the pointer, and numbers as the tables write them.

const SUPERSCRIPT = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

function pretty(value, digits = 6) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const sign = value < 0 ? "−" : "";
  const [mantissa, exponent] = Math.abs(value).toExponential(digits - 1).split("e");
  if (exponent >= -4 && exponent <= 5) return sign + Number(Math.abs(value).toPrecision(digits));
  const power = "10" + String(Number(exponent)).replace(/./g, (c) => SUPERSCRIPT[c]);
  return sign + (Number(mantissa) === 1 ? power : Number(mantissa) + "×" + power);
}

function element(parent, name, className, text) {
  const node = document.createElement(name);
  node.className = className;
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}

function drawn(parent, name, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  parent.append(node);
  return node;
}

// A box in `stage` whose `show(rows, left, top)` takes pixels of the stage and rows of
// [class, name, value].
function box(stage) {
  const tip = element(stage, "div", "tip");
  tip.hidden = true;
  return {
    hide() { tip.hidden = true; },
    show(rows, left, top) {
      tip.replaceChildren();
      for (const [className, name, value] of rows) {
        const row = element(tip, "div", className);
        element(row, "span", "", name);
        element(row, "span", "value", value);
      }
      tip.hidden = false;
      const room = stage.clientWidth + stage.scrollLeft - left;
      const beside = room > tip.offsetWidth + 20 ? left + 14 : left - tip.offsetWidth - 14;
      tip.style.left = Math.max(stage.scrollLeft, beside) + "px";
      tip.style.top = Math.max(0, top) + "px";
    },
    // Said aloud only when the keyboard asks: a moving pointer would never stop talking.
    speak(aloud) { tip.setAttribute("aria-live", aloud ? "polite" : "off"); },
  };
}
