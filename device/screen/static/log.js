// What happened, newest first; each line opens what it was decided from. And the way back.
import { $, h, icon, keyed } from "./dom.js";
import { act } from "./act.js";
import { openDetail } from "./detail.js";
import { clock, t } from "./speak.js";
import { colourClass } from "./players.js";
import { pointAt } from "./top.js";

let older = []; // rows fetched beyond those the state brings
let last = null;

export function showLog(state) {
  last = state;
  const rows = [...(state.log.rows ?? []), ...older];
  $("#log-title").textContent = t("log");
  const seen = new Set();
  const unique = rows.filter((row) => !seen.has(keyOf(row)) && seen.add(keyOf(row)));
  keyed($("#log"), unique.length ? unique : [{ kind: "none" }], keyOf, (row) =>
    row.kind === "none" ? h("li", { class: "none" }, t("log.none")) : line(row, state),
  );
  const more = $("#older");
  more.hidden = !(older.length ? older.more : state.log.more);
  more.textContent = t("log.older");
  more.onclick = fetchOlder;
}

// A correction can change older rows too: they are fetched anew when somebody asks for them again.
export function forgetOlder() {
  older = [];
}

async function fetchOlder() {
  const rows = older.length ? older : last.log.rows;
  const before = rows[rows.length - 1].entry;
  const response = await fetch(`log?before=${before}&language=${document.documentElement.lang}`).catch(() => null);
  if (!response?.ok) return;
  const page = await response.json();
  older = [...older, ...(page.rows ?? [])];
  older.more = page.more;
  showLog(last);
}

function keyOf(row) {
  return `${row.entry}-${row.kind}-${row.index ?? 0}`;
}

function line(row, { players }) {
  const player = players.find((one) => one.name === row.player);
  const dead = row.live === false;
  const words = [
    h("time", {}, clock(row.t)),
    h("span", { class: "words" }, wordsOf(row)),
    row.kind === "answer" && row.text ? h("span", { class: "asked" }, row.text) : null,
    dead ? h("span", { class: "dead-note" }, t("log.dead")) : null,
  ];
  const opens = row.kind === "ruling" || row.kind === "answer";
  const kind = `row ${row.kind} ${dead ? "dead" : ""} ${player ? colourClass(player) : ""}`;
  if (!opens) return h("li", { class: kind }, h("div", {}, words));
  const [point, rest] = [() => pointAt(row.pieces ?? []), () => pointAt([])];
  const events = {
    onclick: () => openDetail(row, players),
    onpointerenter: point,
    onpointerleave: rest,
    onfocus: point,
    onblur: rest,
  };
  return h("li", { class: kind }, h("button", { type: "button", ...events }, words));
}

export function wordsOf(row) {
  switch (row.kind) {
    case "answer":
      return t("log.answer", { chosen: row.chosen }) + (row.by_default ? ` (${t("log.default")})` : "");
    case "correct":
      return row.chosen
        ? t("log.correct_to", { n: row.corrects, chosen: row.chosen })
        : t("log.correct", { n: row.corrects });
    case "remove":
      return t("log.remove", { n: row.corrects });
    case "undo":
    case "redo":
      return t(`log.${row.kind}`);
    default:
      return row.text;
  }
}

export function showUndo({ undo }) {
  const back = $("#undo");
  const what = undo.entry ? undoWords(undo) : t("undo.nothing");
  back.disabled = !undo.entry;
  back.replaceChildren(icon("undo"), h("span", { class: "what" }, h("strong", {}, t("undo")), h("small", {}, what)));
  back.onclick = () => act("undo", { entry: undo.entry });
  const again = $("#redo");
  again.hidden = !undo.redo;
  again.replaceChildren(icon("redo"), h("strong", {}, t("redo")));
  again.onclick = () => act("redo");
}

function undoWords(undo) {
  if (undo.kind === "answer") return t("log.answer", { chosen: undo.text });
  if (undo.kind === "correct") return t("log.correct", { n: undo.corrects });
  return undo.text ?? "";
}
