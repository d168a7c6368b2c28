// The top line (game, round, how the looking goes, language), the headline, and the notice when something is away.
import { $, h, icon } from "./dom.js";
import { reopenAsk } from "./ask.js";
import { NAMES, clock, t } from "./speak.js";
import { colourClass } from "./players.js";

export function showBar({ game, looking }, speak) {
  $("#title").textContent = game.name ?? "";
  const parts = [];
  if (game.round) parts.push(game.rounds ? t("round", { n: game.round, of: game.rounds }) : t("round.open", { n: game.round }));
  if (game.flight) parts.push(t("flight", { n: game.flight }));
  $("#round").textContent = parts.join(" · ");
  showLooking(looking);
  const languages = $("#languages");
  languages.setAttribute("aria-label", t("language"));
  languages.replaceChildren(
    ...(game.languages ?? []).map((language) =>
      h(
        "button",
        {
          type: "button",
          lang: language,
          "aria-label": NAMES[language],
          "aria-pressed": String(language === game.language),
          onclick: () => speak(language),
        },
        language.toUpperCase(),
      ),
    ),
  );
}

export function stateOf({ camera = "live", observer = "", moving = false }) {
  if (camera !== "live") return camera;
  if (observer === "hand" || observer === "learning_camera") return observer;
  return moving ? "moving" : "still";
}

// "Anna lays out: 3 of 12 cards." says two things, and the first is the larger.
function parted(words) {
  const [, first, rest] = words.match(/^(.+?)\s*[.:;]\s+(.+)$/s) ?? [null, words, ""];
  return [first.replace(/\.$/, ""), rest];
}

const LONG = 26;
const ICONS = { away: "away", none: "away", hand: "hand", moving: "hand" };

function showLooking(looking) {
  const word = stateOf(looking);
  const time = looking.duration ? `${clock(looking.t ?? 0)} / ${clock(looking.duration)}` : "";
  const pill = $("#looking");
  pill.dataset.state = word;
  if (pill.dataset.said !== document.documentElement.lang + word) {
    // Only when it changes: a screen reader should not hear every second tick.
    pill.dataset.said = document.documentElement.lang + word;
    pill.replaceChildren(
      icon(ICONS[word] ?? "eye"),
      h("span", {}, t(`looking.${word}`)),
      h("time", { "aria-hidden": "true" }),
    );
  }
  pill.querySelector("time").textContent = time;
}

export function showHeadline({ game, players, questions }) {
  const active = players.find((player) => player.active);
  const [first, rest] = parted(game.phase);
  const [title, more] = $("#phase").children;
  if (title.textContent !== first) title.textContent = first;
  if (more.textContent !== rest) more.textContent = rest;
  title.className = `${!game.over && active ? colourClass(active) : ""} ${first.length > LONG ? "long" : ""}`;
  document.title = first ? `${first} · Kibitz` : "Kibitz";
  const waiting = $("#waiting");
  waiting.hidden = !questions.length;
  waiting.replaceChildren(icon("ask"), t("ask.waiting"));
  waiting.onclick = reopenAsk;
}

export function showNotice({ looking }, away) {
  const notice = $("#notice");
  const word = away ? "service" : looking?.camera === "away" ? "camera" : "";
  const warning = word ? "" : (looking?.warnings?.[0] ?? ""); // the worst: when it is mended, the next shows
  notice.hidden = !word && !warning;
  notice.classList.toggle("mild", Boolean(warning));
  if (word) notice.replaceChildren(icon("away"), h("span", {}, t(`notice.${word}`)));
  else if (warning) notice.replaceChildren(icon("away"), h("span", {}, t(`notice.warn.${warning}`)));
}
