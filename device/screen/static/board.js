// What the game makes of the table, drawn over it: tiles that made points, where a meeple may go, the order of the road.
import { $, h, s } from "./dom.js";
import { colourClass, pictureUrl } from "./players.js";
import { number, t } from "./speak.js";
import { drawToken } from "./tokens.js";

// A label that stands above its place, not on it.
const lifted = (one, lines = 1.4) => {
  one.dataset.lift = lines;
  return one;
};

const polygon = (corners, kind, ...children) =>
  s("polygon", { class: kind, points: corners.map((point) => point.join()).join(" ") }, ...children);

const middle = (corners) => [0, 1].map((axis) => corners.reduce((sum, point) => sum + point[axis], 0) / corners.length);

const classOf = (name, players) => {
  const player = players.find((one) => one.name === name);
  return player ? colourClass(player) : "";
};

// What lies beneath the pieces that stand: outlines and lines. `label(place, kind, words)` makes a label.
export function drawBoard(board, players, deck, label) {
  if (!board) return { shapes: [], labels: [] };
  const [shapes, labels] = [[], []];
  for (const tile of board.hidden ?? []) shapes.push(hiddenTile(tile, deck));
  if (board.last?.length) shapes.push(polygon(board.last, "last"));
  for (const { player, points, cells, text } of (board.lit ?? []).filter((line) => line.points)) {
    const who = classOf(player, players);
    shapes.push(...cells.map((cell) => polygon(cell, `lit ${who}`)));
    // Above them: what made the points is what one wants to see.
    const top = Math.min(...cells.flat().map((point) => point[1]));
    labels.push(lifted(label([middle(cells.map(middle))[0], top], `claimed ${who}`, `${player}: ${text} +${number(points)}`), 0.9));
  }
  if (board.flight) drawFlight(board.flight, players, shapes, labels, label);
  for (const [start, end] of board.broken ?? []) {
    for (const kind of ["broken under", "broken"])
      shapes.push(s("line", { class: kind, x1: start[0], y1: start[1], x2: end[0], y2: end[1] }));
  }
  for (const place of board.places ?? []) shapes.push(spot(place, "place"));
  for (const meeple of board.to_return ?? []) {
    shapes.push(spot(meeple, `return ${classOf(meeple.player, players)}`));
    labels.push(lifted(label([meeple.at[0], meeple.at[1] - 9], "take_back", `↩ ${meeple.player}`), 0.9));
  }
  drawRoad(board, shapes, labels, label);
  return { shapes, labels };
}

function hiddenTile({ outline, picture, name }, deck) {
  const [a, b, , d] = outline;
  const along = [b[0] - a[0], b[1] - a[1], d[0] - a[0], d[1] - a[1]].map((x) => x.toFixed(3));
  const group = s("g", { class: "hidden-tile", transform: `matrix(${along.join()},${a[0]},${a[1]})` }, s("title", {}, name));
  if (picture) group.append(s("image", { href: pictureUrl(picture, deck), width: 1, height: 1, preserveAspectRatio: "none" }));
  return group;
}

function drawFlight({ player, start, end, goal, options }, players, shapes, labels, label) {
  const who = classOf(player, players);
  if (!end) return;
  shapes.push(polygon(goal, `goal ${who}`));
  shapes.push(s("line", { class: `way ${who}`, x1: start[0], y1: start[1], x2: end[0], y2: end[1] }));
  for (const option of options ?? []) {
    shapes.push(spot(option, `option ${who}`));
    labels.push(lifted(label([option.at[0], option.at[1] - 5], "option", option.text), 0.8));
  }
  if (!options?.length) labels.push(label(end, "take_back", t("board.no_landing")));
}

function spot({ at, text }, kind) {
  return s("g", { class: `spot ${kind}`, transform: `translate(${at[0]} ${at[1]})` }, s("title", {}, text), s("circle", { r: 4.5 }));
}

// ---- the road -------------------------------------------------------------------------------------------------

function drawRoad({ track, owed }, shapes, labels, label) {
  const seen = (track ?? []).map((stop, index) => ({ ...stop, index })).filter((stop) => stop.at);
  if (seen.length > 1) shapes.push(s("polyline", { class: "chain", points: seen.map((stop) => stop.at.join()).join(" ") }));
  for (const { at, index } of seen) labels.push(label([at[0] + 22, at[1] - 22], "index", index));
  const to = owed && seen.find((stop) => stop.index === owed.to);
  if (to) {
    shapes.push(s("circle", { class: "owed", cx: to.at[0], cy: to.at[1], r: 24 }));
    labels.push(label(to.at, "contested", `${owed.player} ← ${owed.card}`));
  }
}

// The road in its order, as a strip: every tile with the cars that stand on it, and what the die left to do.
export function showTrack({ board, players }) {
  const strip = $("#track");
  const stops = board?.track ?? [];
  strip.hidden = !stops.length;
  strip.setAttribute("aria-label", t("track"));
  strip.replaceChildren(
    ...stops.map(({ kind, name, cars }, index) => {
      const here = players.filter((player) => (player.colours ?? []).some((colour) => (cars ?? []).includes(colour)));
      const words = [`${index}: ${name}`, ...here.map((player) => player.name)].join(", ");
      return h(
        "li",
        { class: kind.replace(".", "-"), title: words },
        h("span", { class: "unseen" }, words),
        h("span", { class: "cars", "aria-hidden": "true" }, here.map((player) => h("i", { class: `swatch ${colourClass(player)}` }))),
        h("span", { class: "number", "aria-hidden": "true" }, special(kind) ?? String(index)),
      );
    }),
    ...(stops.length && !board.finish ? [h("li", { class: "on", "aria-hidden": "true" }, "…")] : []),
  );
  const first = [...strip.children].findLast((one) => one.querySelector(".swatch"));
  if (first && strip.scrollWidth > strip.clientWidth) strip.scrollLeft = first.offsetLeft - strip.clientWidth / 2;
}

const SIGNS = { start: "⚑", finish: "🏁", narrow: "≍", garage: "G", station: "P", roadworks: "!" };
const special = (kind) => SIGNS[kind.split(".")[1]];

// The die as it was read, and the steps that are left of it.
export function showDie({ board }) {
  const place = $("#die");
  const flying = board?.flight && !board.flight.end;
  const shown = board && (board.die || flying);
  place.hidden = !shown;
  if (!shown) return;
  const words = board.steps ? t("die.steps", { n: board.steps }) : "";
  const cube = s("svg", { viewBox: "-10 -10 20 20", "aria-hidden": "true" }, drawToken({ kind: "die", value: board.die ?? null, name: "" }));
  place.replaceChildren(cube, h("span", { class: "unseen" }, board.die ? t("die.value", { n: board.die }) : t("die.none")), h("span", {}, words));
}
