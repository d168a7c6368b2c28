// Where every point comes from, and at the end who won.
import { $, h, icon } from "./dom.js";
import { act } from "./act.js";
import { me } from "./me.js";
import { cardPicture, colourClass } from "./players.js";
import { list, number, t } from "./speak.js";

export function showResult({ game, players, deck }) {
  const result = $("#result");
  const winners = game.winners ?? [];
  const title =
    winners.length === 1 ? t("over.winner", { name: winners[0] }) : t("over.shared", { names: list(winners) });
  const ranked = [...players].sort((a, b) => b.score - a.score);
  result.replaceChildren(
    ...(game.over ? [h("p", { class: "win" }, icon("crown"), title)] : []),
    h(
      "div",
      { class: "sheets" },
      ranked.map((player) => sheet(player, winners.includes(player.name), deck)),
    ),
    ...(game.over && me.next_game && me.here
      ? [h("button", { type: "button", onclick: () => act("new-game") }, t("new_game"))]
      : []),
  );
}

function sheet(player, won, deck) {
  return h(
    "section",
    { class: `sheet ${colourClass(player)}${won ? " winner" : ""}` },
    h(
      "h3",
      {},
      h("span", { class: "swatch", "aria-hidden": "true" }),
      player.name,
      h("strong", {}, number(player.score)),
    ),
    player.lines?.length ? null : h("p", { class: "none" }, t("points.none")),
    h(
      "ul",
      {},
      (player.lines ?? []).map((line) =>
        h(
          "li",
          {},
          h("span", { class: "points" }, (line.points > 0 ? "+" : "") + number(line.points)),
          h("span", { class: "text" }, line.text),
          line.cards?.length
            ? h(
                "ul",
                { class: "won" },
                line.cards.map((card) => cardPicture(card, deck)),
              )
            : null,
        ),
      ),
    ),
  );
}
