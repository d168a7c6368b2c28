// The table from above, to scale: one user unit of the drawing is a millimetre.
import { $, h, keyed, s } from "./dom.js";
import { stateOf } from "./bar.js";
import { drawBoard } from "./board.js";
import { askPiece } from "./piece.js";
import { colourClass, pictureUrl } from "./players.js";
import { list, quantity, t } from "./speak.js";
import { SOLID, drawToken } from "./tokens.js";

const MARGIN_MM = 30;
const SMALLEST_MM = [420, 260];
const ZOOM_MS = 450;

const svg = $("#top");
const layers = {
  pieces: s("g"),
  board: s("g", { class: "board" }),
  tokens: s("g"),
  lines: s("g", { class: "lines" }),
  labels: s("g", { class: "labels" }),
  scale: s("g", { class: "scale" }),
};
const defs = s("defs");
svg.append(defs, layers.pieces, layers.board, layers.tokens, layers.lines, layers.labels, layers.scale);

let shown = null; // [x, y, width, height] in mm
let last = null;
new ResizeObserver(() => rescale()).observe(svg);

export function showTop(state) {
  last = state;
  const { table, players, looking, deck, board } = state;
  const all = table.pieces ?? [];
  const pieces = all.filter((piece) => !SOLID.includes(piece.kind));
  const tokens = all.filter((piece) => SOLID.includes(piece.kind));
  const marks = table.marks ?? [];
  svg.setAttribute(
    "aria-label",
    all.length ? t("table.alt", { names: list(all.map((p) => p.name)) }) : t("table.none"),
  );
  defs.replaceChildren(cardClip(pieces[0], table.radius ?? 0));
  frame(table, board ? onBoard(pieces, tokens) : all);
  const marked = Object.fromEntries(marks.flatMap((mark) => mark.pieces.map((id) => [id, mark])));
  keyed(
    layers.pieces,
    pieces.map((piece) => ({
      ...piece,
      px: null,
      mark: marked[piece.id]?.kind ?? "",
      who: whoOf(marked[piece.id], players),
      v: deck.version,
    })),
    (piece) => piece.id,
    (piece, fresh) => drawPiece(piece, fresh, deck, table),
  );
  keyed(
    layers.tokens,
    tokens.map((token) => ({ ...token, px: null, mark: marked[token.id]?.kind ?? "" })),
    (token) => token.id,
    standing,
  );
  const drawn = drawBoard(board, players, deck, label);
  layers.board.replaceChildren(...drawn.shapes);
  // On a board what made points has one label of its own, and so has what must come back.
  drawLabels(board ? marks.filter((mark) => !["claimed", "take_back"].includes(mark.kind)) : marks, all, players, table.measures ?? [], drawn.labels);
  showMarks(marks, players);
  showMessage(looking, pieces.length, table.solved);
}

function whoOf(mark, players) {
  const names = mark?.players ?? [];
  const player = names.length === 1 ? players.find((p) => p.name === names[0]) : null;
  return player ? colourClass(player) : "";
}

function cardClip(piece, radius) {
  if (!piece) return "";
  const [width, height] = sizeOf(piece.outline);
  const rect = s("rect", { width: 1, height: 1, rx: radius / width, ry: radius / height });
  return s("clipPath", { id: "card-shape", clipPathUnits: "objectBoundingBox" }, rect);
}

function sizeOf([a, b, , d]) {
  return [Math.hypot(b[0] - a[0], b[1] - a[1]), Math.hypot(d[0] - a[0], d[1] - a[1])];
}

function drawPiece(piece, fresh, deck, table) {
  const [width, height] = sizeOf(piece.outline);
  const [a, b, , d] = piece.outline;
  const radius = table.radius ?? 0;
  const group = s(
    "g",
    {
      class: ["piece", fresh ? "fresh" : "", piece.mark, piece.who].join(" "),
      role: "button",
      tabindex: "-1",
      "aria-label": piece.name,
      onclick: () => askPiece(last, piece.id),
      onkeydown: (event) => walk(event, piece.id),
    },
    s("title", {}, piece.name),
    s("rect", { class: "shadow", width, height, rx: radius }),
    piece.picture
      ? s("image", {
          href: pictureUrl(piece.picture, deck),
          width,
          height,
          preserveAspectRatio: "none",
          "clip-path": "url(#card-shape)",
        })
      : s("rect", { class: "blank", width, height, rx: radius }),
    piece.picture
      ? null
      : s("text", { class: "blank-name", x: width / 2, y: height / 2 }, piece.face === "unknown" ? "?" : piece.name),
    s("rect", { class: "edge", width, height, rx: radius }),
  );
  // The card's own millimetres, laid along its measured top and left edges.
  const along = [(b[0] - a[0]) / width, (b[1] - a[1]) / width, (d[0] - a[0]) / height, (d[1] - a[1]) / height];
  group.style.transform = `matrix(${along.map((x) => x.toFixed(5)).join(",")},${a[0]},${a[1]})`;
  return group;
}

function standing(token, fresh) {
  const [x, y] = token.at ?? middle(token.outline);
  const group = s(
    "g",
    {
      class: ["token", fresh ? "fresh" : "", token.mark].join(" "),
      role: "button",
      tabindex: "-1",
      "aria-label": token.name,
      onclick: () => askPiece(last, token.id),
      onkeydown: (event) => walk(event, token.id),
    },
    s("circle", { class: "halo", r: token.kind === "car" ? 17 : 12 }),
    drawToken(token),
  );
  group.style.transform = `translate(${x}px, ${y}px)`;
  return group;
}

// Shows which pieces are spoken of elsewhere on the page.
export function pointAt(ids) {
  for (const piece of [...layers.pieces.children, ...layers.tokens.children]) piece.classList.toggle("pointed", ids.includes(piece.dataset.key));
}

// One tab stop for the whole table; arrows go from card to card.
function walk(event, id) {
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    askPiece(last, id);
  }
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const all = [...layers.pieces.children, ...layers.tokens.children];
  const at = all.findIndex((one) => one.dataset.key === id);
  all[(at + step + all.length) % all.length].focus();
}
svg.setAttribute("tabindex", "0");
svg.addEventListener(
  "focus",
  (event) => event.target === svg && svg.matches(":focus-visible") && layers.pieces.firstChild?.focus(),
);

function middle(outline) {
  return [0, 1].map((axis) => outline.reduce((sum, point) => sum + point[axis], 0) / outline.length);
}

// A label in screen pixels at a place in millimetres; `rescale` keeps its size whatever the drawing's.
function label(place, kind, ...words) {
  const text = s("text", {}, ...words);
  const plate = s("rect", { class: "plate" });
  return s("g", { class: `label ${kind}`, "data-x": place[0], "data-y": place[1] }, plate, text);
}

function drawLabels(marks, pieces, players, measures, more) {
  const where = Object.fromEntries(pieces.map((piece) => [piece.id, middle(piece.outline)]));
  const labels = [...more];
  for (const mark of marks) {
    const words = wordsFor(mark);
    if (!words) continue;
    for (const id of mark.pieces) {
      if (where[id]) labels.push(label(where[id], `${mark.kind} ${whoOf(mark, players)}`, words));
    }
  }
  layers.lines.replaceChildren(
    ...measures.flatMap(({ kind, start, end }) => [
      s("line", { class: `under ${kind}`, x1: start[0], y1: start[1], x2: end[0], y2: end[1] }),
      s("line", { class: kind, x1: start[0], y1: start[1], x2: end[0], y2: end[1] }),
      ...[start, end].map(([cx, cy]) => s("circle", { class: kind, cx, cy, r: 2.2 })),
    ]),
  );
  for (const measure of measures) {
    const { start, end, kind, mm } = measure;
    labels.push(label([(start[0] + end[0]) / 2, (start[1] + end[1]) / 2], `measure ${kind}`, quantity(mm)));
  }
  layers.labels.replaceChildren(...labels);
  rescale();
}

function wordsFor(mark) {
  if (mark.kind === "claimed") return mark.players?.join(", ");
  if (mark.kind === "contested") return mark.players?.length ? mark.players.join(" / ") : t("mark.contested");
  if (mark.kind === "take_back") return `↩ ${t("mark.take_back")}`;
  if (mark.kind === "doubt") return "?";
  return "";
}

// ---- what part of the table is in view -----------------------------------------------------------------------

function frame(table, pieces) {
  const wanted = boxOf(table.view ?? [], pieces);
  if (shown && fits(shown, wanted)) return;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches || !shown;
  const from = shown ?? wanted;
  shown = wanted;
  if (still) return look(wanted);
  const begun = performance.now();
  const step = (now) => {
    if (shown !== wanted) return;
    const part = Math.min((now - begun) / ZOOM_MS, 1);
    const eased = 1 - (1 - part) ** 3;
    look(from.map((value, i) => value + (wanted[i] - value) * eased));
    if (part < 1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

const BESIDE_MM = 60;

// Of a board game the tiles are what is looked at; whatever stands far beside them, such as meeples in the supply, is not.
function onBoard(pieces, tokens) {
  const tiles = pieces.filter((piece) => piece.kind === "tile" && piece.face !== "back");
  if (!tiles.length) return pieces;
  const [x, y, width, height] = bounds(tiles.flatMap((tile) => tile.outline));
  const near = ([px, py]) =>
    px > x - BESIDE_MM && py > y - BESIDE_MM && px < x + width + BESIDE_MM && py < y + height + BESIDE_MM;
  const beside = [...pieces, ...tokens].filter((piece) => piece.kind !== "tile" && near(piece.at ?? middle(piece.outline)));
  return [...tiles, ...beside.map((piece) => (piece.at ? { outline: [piece.at] } : piece))];
}

// All pieces with some air, no wider than the camera sees; the whole view while nothing lies there.
function boxOf(view, pieces) {
  const points = pieces.flatMap((piece) => piece.outline);
  if (!points.length) return view.length ? bounds(view) : [-300, -170, 600, 340];
  let [x, y, width, height] = bounds(points);
  [x, y, width, height] = [x - MARGIN_MM, y - MARGIN_MM, width + 2 * MARGIN_MM, height + 2 * MARGIN_MM];
  const [wide, high] = SMALLEST_MM;
  if (width < wide) [x, width] = [x - (wide - width) / 2, wide];
  if (height < high) [y, height] = [y - (high - height) / 2, high];
  return [x, y, width, height];
}

function bounds(points) {
  const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]));
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return [x, y, Math.max(...xs) - x, Math.max(...ys) - y];
}

// The view stays as it is while everything is in it and it is not far too wide: a table that jumps is tiring.
function fits([x, y, width, height], [wx, wy, ww, wh]) {
  const slack = MARGIN_MM - 15;
  const inside = wx >= x - slack && wy >= y - slack && wx + ww <= x + width + slack && wy + wh <= y + height + slack;
  return inside && width * height < 1.8 * ww * wh;
}

function look(box) {
  svg.setAttribute("viewBox", box.map((value) => value.toFixed(1)).join(" "));
  rescale();
}

function rescale() {
  const matrix = svg.getScreenCTM();
  if (!matrix?.a || !shown) return;
  const mm = 1 / matrix.a; // millimetres a pixel
  const size = parseFloat(getComputedStyle(svg).fontSize);
  const taken = [];
  for (const one of layers.labels.children) {
    const [plate, text] = one.children;
    const box = text.getBBox();
    const pad = size * (one.classList.contains("index") ? 0.22 : 0.45);
    for (const [name, value] of Object.entries({
      x: box.x - pad,
      y: box.y - pad * 0.4,
      width: box.width + 2 * pad,
      height: box.height + pad * 0.8,
      rx: size * 0.4,
    })) {
      plate.setAttribute(name, value);
    }
    const up = parseFloat(one.dataset.lift ?? 0) * size * mm; // so many lines above its place, at any scale
    const [x, y] = [Number(one.dataset.x), one.dataset.y - up];
    const down = one.dataset.lift ? free(taken, x, y, (box.width + 2 * pad) * mm, (box.height + pad) * mm) : 0;
    one.setAttribute("transform", `translate(${x} ${y + down}) scale(${mm})`);
  }
  drawScale(mm, size);
}

// How far down a label must go so as not to cover one that has been placed before.
function free(taken, x, y, width, height) {
  let down = 0;
  const covered = () =>
    taken.some((one) => Math.abs(one.x - x) < (one.width + width) / 2 && Math.abs(one.y - y - down) < (one.height + height) / 2);
  for (let tries = 0; tries < 12 && covered(); tries += 1) down += height / 2;
  taken.push({ x, y: y + down, width, height });
  return down;
}

// Ten centimetres, at the lower left of the cloth.
function drawScale(mm, size) {
  const rect = $("#cloth").getBoundingClientRect();
  const at = new DOMPoint(rect.left + size, rect.bottom - size).matrixTransform(svg.getScreenCTM().inverse());
  layers.scale.setAttribute("transform", `translate(${at.x} ${at.y}) scale(${mm})`);
  const long = 100 / mm;
  layers.scale.replaceChildren(
    s("path", { d: `M0 ${-size * 0.35}V0H${long}V${-size * 0.35}` }),
    s("text", { x: long / 2, y: -size * 0.4 }, "10\u00a0cm"),
  );
}

// ---- words over the cloth --------------------------------------------------------------------------------------

function showMarks(marks, players) {
  const told = marks.filter(
    (mark) => mark.text && (["violation", "take_back", "doubt", "target"].includes(mark.kind)),
  );
  keyed(
    $("#marks"),
    told.slice(0, 3),
    (mark) => mark.kind + mark.pieces.join(),
    (mark) => h("li", { class: `${mark.kind} ${whoOf(mark, players)}` }, mark.text),
  );
}

function showMessage(looking, count, solved) {
  const message = $("#message");
  const learning = stateOf(looking) === "learning_camera" || (count > 0 && !solved);
  const word = learning ? "learning" : count ? "" : "empty";
  message.hidden = !word;
  message.classList.toggle("low", count > 0);
  message.replaceChildren(
    ...(word ? [h("p", { class: "large" }, t(`${word}.title`)), h("p", {}, t(`${word}.text`))] : []),
  );
}
