// Which view the middle of the page shows: the table from above, the camera's picture, or where the points come from.
import { $, h } from "./dom.js";
import { t } from "./speak.js";

const KEPT = "kibitz.view";
const PARTS = { table: "#top", camera: "#camera", result: "#result" };
let chosen = localStorage.getItem(KEPT) === "camera" ? "camera" : "table";
let before = chosen; // where to return to when the end is undone
let over = false;

export function showViews({ game }) {
  if (game.over && !over) [before, chosen] = [chosen, "result"];
  if (!game.over && over) chosen = before;
  over = Boolean(game.over);
  paint();
}

export function viewing() {
  return chosen;
}

function choose(view) {
  chosen = view;
  if (view !== "result") localStorage.setItem(KEPT, view);
  paint();
  $(`#views [aria-selected="true"]`).focus();
}

function paint() {
  const views = Object.keys(PARTS);
  const tabs = $("#views");
  tabs.setAttribute("aria-label", t("view"));
  tabs.replaceChildren(
    ...views.map((view) =>
      h(
        "button",
        {
          type: "button",
          role: "tab",
          "aria-selected": String(view === chosen),
          tabindex: view === chosen ? "0" : "-1",
          onclick: () => choose(view),
          onkeydown: (event) => {
            const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
            if (step) choose(views[(views.indexOf(view) + step + views.length) % views.length]);
          },
        },
        t(`view.${view}`),
      ),
    ),
  );
  $("#cloth").dataset.view = chosen;
  for (const [view, part] of Object.entries(PARTS)) $(part).toggleAttribute("hidden", view !== chosen);
  document.dispatchEvent(new CustomEvent("view", { detail: chosen }));
}
