// Things that stand on the table, drawn in millimetres around their own foot: meeples, cars, dice.
import { s } from "./dom.js";

export const SOLID = ["meeple", "car", "die"];

const MEEPLE =
  "M-2.400 -8H2.400L3.200 -6.100L2.200 -3.500L7.500 -1.900L8 .300L3.500 1.600L6.900 7.400L6.100 8H1.600L0 6.400" +
  "L-1.600 8H-6.100L-6.900 7.400L-3.500 1.600L-8 .300L-7.500 -1.900L-2.200 -3.500L-3.200 -6.100z";
// Which of the nine places of a die's face bear a pip, counted row by row.
const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

export function drawToken({ kind, colour, pose, value, heading, name }) {
  const drawn = { meeple: () => meeple(pose), car: () => car(heading ?? 0), die: () => die(value) }[kind]();
  return s("g", { class: `token-shape ${kind} coloured c-${colour || "grey"}` }, s("title", {}, name), ...drawn);
}

// One that stands is drawn upright, one that lies on its side: a farmer is told from a knight at a glance.
export function meeple(pose = "standing") {
  const turn = pose === "lying" ? "rotate(90)" : "";
  return [
    s("ellipse", { class: "ground", cx: 0.8, cy: 1.2, rx: 8.6, ry: 8.6 }),
    s("path", { class: "body", d: MEEPLE, transform: turn }),
  ];
}

function car(heading) {
  return [
    s(
      "g",
      { transform: `rotate(${heading.toFixed(1)})` },
      s("rect", { class: "ground", x: -13.2, y: -6, width: 28, height: 14, rx: 4 }),
      ...[-8.5, 7.5].flatMap((x) => [-7.8, 5.3].map((y) => s("rect", { class: "wheel", x: x - 2.5, y, width: 6, height: 2.5, rx: 1 }))),
      s("path", { class: "body", d: "M-14 -4.500Q-14 -7 -10 -7H8Q14 -6 14 0Q14 6 8 7H-10Q-14 7 -14 4.500z" }),
      s("path", { class: "glass", d: "M3 -5Q6.500 0 3 5L-.500 4Q1.500 0 -.500 -4z" }),
      s("rect", { class: "roof", x: -8, y: -4.6, width: 8, height: 9.2, rx: 2 }),
    ),
  ];
}

export function die(value, edge = 16) {
  const pips = PIPS[value];
  return [
    s("rect", { class: "cube", x: -edge / 2, y: -edge / 2, width: edge, height: edge, rx: edge * 0.2 }),
    ...(pips
      ? pips.map((at) =>
          s("circle", { class: "pip", cx: edge * 0.27 * ((at % 3) - 1), cy: edge * 0.27 * (Math.floor(at / 3) - 1), r: edge * 0.1 }),
        )
      : [s("text", { class: "unread", x: 0, y: 0, "font-size": edge * 0.7 }, "?")]),
  ];
}
