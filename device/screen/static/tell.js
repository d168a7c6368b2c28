// What the players say of their own accord: what the camera did not notice, and points agreed at the table.
import { $, h, icon } from "./dom.js";
import { act } from "./act.js";
import { me } from "./me.js";
import { closeButton, closeOutside } from "./detail.js";
import { colourClass } from "./players.js";
import { number, t } from "./speak.js";

const STEPS = [-5, -1, 1, 5];

const dialog = $("#telling");
closeOutside(dialog);
let last = null;

export function showTell(state) {
  last = state;
  const button = $("#tell");
  button.setAttribute("aria-label", t("tell"));
  button.title = t("tell");
  button.replaceChildren(icon("tell"));
  button.onclick = open;
  if (dialog.open) fill();
}

function open() {
  fill();
  dialog.showModal();
}

function fill() {
  const kept = dialog.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
  const offers = (last.offers ?? []).map((offer) =>
    h("button", { type: "button", onclick: () => say(offer.choice, offer.value, true) }, offer.text),
  );
  dialog.replaceChildren(
    closeButton(dialog),
    h(
      "div",
      { class: "body" },
      h("h2", { id: "telling-text" }, t("tell")),
      offers.length ? h("div", { class: "offers" }, offers) : null,
      me.recording && me.paired
        ? h("p", { class: "report" }, h("a", { href: "play.zip?seconds=60", download: true }, t("report")), " ", t("report.why"))
        : null,
      ...(last.board?.track ? turns() : agreed()),
    ),
  );
  focusOn(kept); // news came while somebody was at the keys
}

function focusOn(label) {
  if (label) dialog.querySelector(`[aria-label="${CSS.escape(label)}"]`)?.focus();
}

function agreed() {
  return [h("h3", {}, t("tell.points")), h("ul", { class: "agreed" }, last.players.map(points))];
}

// A race has no points to agree on, but whose turn it is can be told.
function turns() {
  const choose = (player) =>
    h("button", { type: "button", class: colourClass(player), onclick: () => say("turn", player.name, true) }, player.name);
  return [h("h3", {}, t("tell.turn")), h("div", { class: "offers" }, last.players.map(choose))];
}

function points(player) {
  const steps = STEPS.map((step) => {
    const words = (step > 0 ? "+" : "") + number(step);
    const label = `${player.name} ${words}`;
    return h(
      "button",
      {
        type: "button",
        "aria-label": label,
        onclick: () => say(`score:${player.name}`, (step > 0 ? "+" : "") + step, false),
      },
      words,
    );
  });
  return h(
    "li",
    { class: colourClass(player) },
    h("span", { class: "swatch", "aria-hidden": "true" }),
    h("span", { class: "name" }, player.name),
    h("strong", {}, number(player.score)),
    h("span", { class: "steps" }, steps),
  );
}

async function say(choice, value, close) {
  const focused = document.activeElement.getAttribute("aria-label");
  if (!(await act("say", { choice, value }))) return;
  if (close) dialog.close();
  else focusOn(focused);
}
