// All tables that the broker tells of, one card each; asked for every few seconds.
import { $, h, keyed } from "./dom.js";
import { number, setLanguage, t } from "./speak.js";

const EVERY_MS = 3000;
setLanguage(localStorage.getItem("kibitz.language") ?? navigator.language.slice(0, 2));
$("#house-title").textContent = t("tables");

function card({ online, state }) {
  const note = !online ? t("tables.offline") : state.camera === "away" ? t("looking.away") : "";
  return h(
    "section",
    { class: `one-table${online ? "" : " offline"}${state.questions ? " asks" : ""}` },
    h("h2", {}, state.name),
    h("p", { class: "phase" }, state.phase),
    note ? h("p", {}, note) : null,
    state.questions ? h("p", {}, t("ask.waiting")) : null,
    h("ul", {}, (Array.isArray(state.players) ? state.players : []).map(player)),
  );
}

function player({ name, score, active }) {
  return h("li", { class: active ? "active" : "" }, h("span", {}, name), h("strong", {}, number(score)));
}

async function look() {
  const answer = await fetch("tables.json").catch(() => null);
  const tables = answer?.ok ? await answer.json() : [];
  const shown = tables.length ? tables : [{ id: "none" }];
  keyed($("#house"), shown, (one) => one.id, (one) => (one.state ? card(one) : h("p", {}, t("tables.none"))));
  document.body.dataset.ready = "yes";
}

look();
setInterval(look, EVERY_MS);
