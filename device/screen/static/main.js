// The page: takes the sections as they come and has each part show its own.
import { $ } from "./dom.js";
import { showAsk } from "./ask.js";
import { showBar, showHeadline, showNotice } from "./bar.js";
import { showDie, showTrack } from "./board.js";
import { showCamera } from "./camera.js";
import { Link } from "./link.js";
import { showLog, showUndo } from "./log.js";
import { meet, showPair } from "./pair.js";
import { showPlayers, showSeats } from "./players.js";
import { showResult } from "./result.js";
import { setLanguage } from "./speak.js";
import { showTell } from "./tell.js";
import { showTop } from "./top.js";
import { showViews } from "./views.js";

const KEPT = "kibitz.language";
const state = {};
let away = false;

function onSections(sections) {
  if (state.build && sections.build && sections.build !== state.build) return location.reload();
  Object.assign(state, sections);
  const words = sections.game && sections.game.language !== document.documentElement.lang;
  if (words) setLanguage(state.game.language);
  const any = (...names) => words || names.some((name) => name in sections);
  if (any("game", "looking")) showBar(state, speak);
  if (any("game", "players", "questions")) showHeadline(state);
  if (any("players", "game", "deck")) showPlayers(state);
  if (any("players")) showSeats(state);
  if (any("table", "players", "looking", "deck", "board")) showTop(state);
  if (any("board", "players")) showTrack(state);
  if (any("board")) showDie(state);
  if (any("table", "looking")) showCamera(state);
  if (any("players", "game", "deck")) showResult(state);
  if (any("game")) showViews(state);
  if (words) showPair();
  if (any("log")) showLog(state);
  if (any("undo")) showUndo(state);
  if (any("offers", "players")) showTell(state);
  if (any("questions", "table")) showAsk(state);
  if (any("looking", "game")) showNotice(state, away);
  document.body.dataset.ready = "yes";
}

function onAway(now) {
  if (now === away) return;
  away = now;
  document.body.classList.toggle("away", away);
  showNotice(state, away);
}

function speak(language) {
  localStorage.setItem(KEPT, language);
  link.speak(language);
}

setLanguage(localStorage.getItem(KEPT) ?? navigator.language.slice(0, 2));
const link = new Link({ language: localStorage.getItem(KEPT) ?? "", onSections, onAway });

meet();

// A tablet used as a scoreboard should not fall asleep; where the browser cannot promise that, no harm is done.
const stayAwake = () => document.hidden || navigator.wakeLock?.request("screen").catch(() => {});
document.addEventListener("visibilitychange", stayAwake);
stayAwake();
$("#top").addEventListener("contextmenu", (event) => event.preventDefault());
