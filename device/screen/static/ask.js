// What Kibitz will not decide alone. A dialog that can be put aside to look at the table, but not lost.
import { $, h } from "./dom.js";
import { evidence } from "./detail.js";
import { act } from "./act.js";
import { gauge } from "./gauge.js";
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

async function choose(question, option) {
  const buttons = dialog.querySelectorAll(".options button");
  buttons.forEach((button) => (button.disabled = true));
  const done = await act("answer", { question: question.id, choice: option.word });
  if (!done) buttons.forEach((button) => (button.disabled = false));
}
