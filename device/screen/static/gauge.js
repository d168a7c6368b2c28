// A measure against its limit, as a line one can read at a glance: the value, how sure it is, and where the limit lies.
import { s } from "./dom.js";
import { number, quantity, t } from "./speak.js";

const WIDTH = 300;

export function gauge({ value, sigma = 0, limit, unit = "" }) {
  const [low, high] = range(value, sigma, limit ?? value);
  const x = (amount) => Math.max(0, Math.min(1, (amount - low) / (high - low))) * WIDTH;
  const words =
    limit === undefined
      ? t("detail.gauge.plain", { value: quantity(value, unit) })
      : t("detail.gauge", { value: quantity(value, unit), sigma: quantity(sigma, unit), limit: quantity(limit, unit) });
  const anchor = (at) => (at < 40 ? "start" : at > WIDTH - 40 ? "end" : "middle");
  const parts = [
    s("line", { class: "axis", x1: 0, x2: WIDTH, y1: 34, y2: 34 }),
    s("text", { class: "end", x: 0, y: 52 }, number(low)),
    s("text", { class: "end", x: WIDTH, y: 52, "text-anchor": "end" }, number(high)),
    s("rect", {
      class: "two-sigma",
      x: x(value - 2 * sigma),
      width: x(value + 2 * sigma) - x(value - 2 * sigma),
      y: 29,
      height: 10,
      rx: 3,
    }),
    s("rect", {
      class: "one-sigma",
      x: x(value - sigma),
      width: x(value + sigma) - x(value - sigma),
      y: 26,
      height: 16,
      rx: 3,
    }),
    s("line", { class: "value", x1: x(value), x2: x(value), y1: 22, y2: 46 }),
    s(
      "text",
      { class: "value", x: x(value), y: 16, "text-anchor": anchor(x(value)) },
      `${number(value)} ± ${quantity(sigma, unit)}`,
    ),
  ];
  if (limit !== undefined) {
    parts.push(
      s("line", { class: "limit", x1: x(limit), x2: x(limit), y1: 22, y2: 50 }),
      s(
        "text",
        { class: "limit", x: x(limit), y: 64, "text-anchor": anchor(x(limit)) },
        `${t("detail.limit")} ${quantity(limit, unit)}`,
      ),
    );
  }
  return s("svg", { class: "gauge", viewBox: `-4 0 ${WIDTH + 8} 70`, role: "img", "aria-label": words }, parts);
}

// From zero where that shows the difference; else only what lies around it, so that a near thing is seen to be near.
function range(value, sigma, limit) {
  const span = Math.max(Math.abs(value - limit) * 2.2, sigma * 14);
  const middle = (value + limit) / 2;
  if (middle < span * 1.2) return [0, Math.ceil(Math.max(value + 3 * sigma, limit, 1e-6) * 1.2)];
  return [Math.floor(middle - span / 2), Math.ceil(middle + span / 2)];
}
