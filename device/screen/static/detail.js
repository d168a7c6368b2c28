// What one line of the list was decided from: picture, rule, measure; and what can be done if it is wrong.
import { $, h, icon } from "./dom.js";
import { act } from "./act.js";
import { gauge } from "./gauge.js";
import { colourClass } from "./players.js";
import { clock, t } from "./speak.js";
import { forgetOlder, wordsOf } from "./log.js";
import { me } from "./me.js";

const dialog = $("#detail");

export function openDetail(row, players) {
  const player = players.find((one) => one.name === row.player);
  dialog.className = player ? colourClass(player) : "";
  dialog.replaceChildren(
    closeButton(dialog),
    evidence(
      row.question
        ? `evidence/question.jpg?id=${encodeURIComponent(row.question)}`
        : `evidence/${row.entry}-${row.index ?? 0}.jpg`,
    ),
    h(
      "div",
      { class: "body" },
      h("h2", { id: "detail-text" }, wordsOf(row)),
      row.kind === "answer" && row.text ? h("p", {}, row.text) : null,
      row.inferred ? h("p", { class: "aside" }, t("log.inferred")) : null,
      row.measured ? gauge(row.measured) : null,
      clip(row),
      facts(row),
      row.live === false ? h("p", { class: "aside" }, t("log.dead")) : corrections(row),
    ),
  );
  dialog.showModal();
}

export function closeButton(of) {
  return h(
    "button",
    { type: "button", class: "close", "aria-label": t("close"), onclick: () => of.close() },
    icon("close"),
  );
}

// The seconds around what was ruled, where they are recorded; fetched when somebody wants to see them.
function clip(row) {
  if (!me.recording) return null;
  const button = h("button", { type: "button", class: "quiet" }, t("detail.clip"));
  const none = h("p", { class: "aside", hidden: true }, t("detail.no_clip"));
  button.onclick = () => {
    const gone = () => {
      video.remove();
      none.hidden = false;
    };
    const video = h("video", { src: `clip/${row.entry}.mp4`, controls: true, autoplay: true, muted: true, onerror: gone });
    button.replaceWith(video);
  };
  return h("div", { class: "clip" }, button, none);
}

export function evidence(src) {
  const none = h("p", { class: "no-picture", hidden: true }, t("detail.no_picture"));
  const image = h("img", {
    src,
    alt: t("detail.picture"),
    onerror: () => {
      image.hidden = true;
      none.hidden = false;
    },
  });
  return h("figure", {}, image, none);
}

function facts(row) {
  const pairs = [
    [t("detail.rule"), row.rule ? h("code", {}, row.rule) : null],
    [t("detail.entry"), String(row.entry)],
    [t("detail.time"), clock(row.t)],
  ];
  return h(
    "dl",
    {},
    pairs.filter(([, value]) => value).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}

function corrections(row) {
  const send = async (body) => {
    if (await act("correct", body)) {
      forgetOlder();
      dialog.close();
    }
  };
  const others = (row.options ?? []).filter((option) => option.text !== row.chosen);
  return h(
    "details",
    { class: "wrong" },
    h("summary", {}, t("detail.wrong")),
    others.map((option) =>
      h(
        "button",
        { type: "button", onclick: () => send({ do: "choice", entry: row.entry, choice: option.word }) },
        t("detail.change", { choice: option.text }),
      ),
    ),
    h(
      "button",
      { type: "button", onclick: () => send({ do: "remove", entry: row.entry }) },
      t(`detail.remove.${row.of}`),
    ),
  );
}

// A press beside the dialog closes it.
export function closeOutside(one) {
  one.addEventListener("click", (event) => event.target === one && one.close());
}
closeOutside(dialog);
