// What Kibitz will not decide alone. A dialog that can be put aside to look at the table, but not lost.
import { $, h, s } from "./dom.js";
import { evidence } from "./detail.js";
import { act } from "./act.js";
import { gauge } from "./gauge.js";
import { pictureUrl } from "./players.js";
import { t } from "./speak.js";

const dialog = $("#ask");
let aside = null; // id of the question that was put aside
let shown = "";
let last = null;

export function showAsk(state) {
  last = state;
  const [question, ...rest] = state.questions;
  if (!question || question.id === aside) {
    shown = "";
    return dialog.close();
  }
  aside = null;
  const print = document.documentElement.lang + JSON.stringify(state.questions);
  if (print !== shown) {
    shown = print;
    const index = [...dialog.querySelectorAll(".options button")].indexOf(document.activeElement);
    dialog.replaceChildren(...contents(question, rest.length));
    if (dialog.open) dialog.querySelectorAll(".options button")[Math.max(index, 0)]?.focus();
  }
  if (!dialog.open) {
    document.querySelectorAll("dialog[open]").forEach((other) => other.close());
    dialog.showModal();
    dialog.querySelector(".options button")?.focus();
  }
}

export function reopenAsk() {
  aside = null;
  showAsk(last);
}

dialog.addEventListener("cancel", (event) => {
  event.preventDefault();
  putAside();
});

function putAside() {
  aside = last.questions[0]?.id ?? null;
  showAsk(last);
  $("#waiting").focus();
}

function contents(question, more) {
  const options = question.options.map((option) =>
    h(
      "button",
      { type: "button", class: option.likely ? "likely" : "", onclick: () => choose(question, option) },
      option.piece ? whereabouts(option.piece) : null,
      option.picture ? optionPicture(option) : null,
      h("span", {}, option.text),
      option.likely ? h("small", {}, t("ask.likely")) : null,
    ),
  );
  return [
    evidence(`evidence/question.jpg?id=${encodeURIComponent(question.id)}`),
    h(
      "div",
      { class: "body" },
      h("p", { class: "whom" }, question.player ? t("ask.player", { name: question.player }) : t("ask.table")),
      h("h2", { id: "ask-text" }, question.text),
      question.measured ? gauge(question.measured) : null,
      h("div", { class: "options", "data-count": String(options.length) }, options),
      h(
        "p",
        { class: "foot" },
        h("button", { type: "button", class: "quiet", onclick: putAside }, t("ask.later")),
        more ? h("span", {}, t("ask.more", { n: more })) : null,
      ),
    ),
  ];
}

function optionPicture({ picture, turn }) {
  const alt = turn ? t("ask.turned", { n: turn }) : "";
  const image = h("img", { class: "option", src: pictureUrl(picture, last.deck), alt });
  if (turn) image.style.rotate = `${turn}deg`;
  return image;
}

// The table in small with one piece of it: pieces may look alike, but they lie in different places.
function whereabouts(id) {
  const pieces = (last.table.pieces ?? []).filter((piece) => piece.kind === "tile" || !piece.kind);
  const points = pieces.flatMap((piece) => piece.outline);
  const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]));
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  const box = [x - 10, y - 10, Math.max(...xs) - x + 20, Math.max(...ys) - y + 20];
  const shape = (piece) =>
    s("polygon", { class: piece.id === id ? "this" : "", points: piece.outline.map((point) => point.join()).join(" ") });
  return s("svg", { class: "whereabouts", viewBox: box.join(" "), "aria-hidden": "true" }, ...pieces.map(shape));
}

async function choose(question, option) {
  const buttons = dialog.querySelectorAll(".options button");
  buttons.forEach((button) => (button.disabled = true));
  const done = await act("answer", { question: question.id, choice: option.word });
  if (!done) buttons.forEach((button) => (button.disabled = false));
}
