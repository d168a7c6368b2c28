// Who plays, what each has won, and the score that is read from across the room.
import { $, h, icon, keyed, s } from "./dom.js";
import { number, t } from "./speak.js";
import { meeple } from "./tokens.js";

const KNOWN = ["red", "blue", "green", "yellow", "black", "white", "grey", "orange", "purple", "pink"];

// The player's colour, and with it a pattern: colour alone tells nobody who cannot see it.
export function colourClass(player) {
  const colours = (player.colours ?? []).filter((colour) => KNOWN.includes(colour));
  return ["coloured", `c-${colours[0] ?? "grey"}`, colours[1] ? `d-${colours[1]}` : ""].join(" ").trim();
}

export function colourNames(player) {
  return (player.colours ?? []).map((colour) => (KNOWN.includes(colour) ? t(`colour.${colour}`) : colour)).join(" + ");
}

export function cardPicture(card, deck) {
  const label = card.count > 1 ? `${card.name} × ${card.count}` : card.name;
  const picture = card.picture
    ? h("img", { src: pictureUrl(card.picture, deck), alt: "", loading: "lazy", draggable: "false" })
    : h("span", { class: "nameless" }, card.name);
  const count = card.count > 1 ? h("span", { class: "count", "aria-hidden": "true" }, `×${card.count}`) : null;
  return h("li", { class: "card", title: label }, picture, count, h("span", { class: "unseen" }, label));
}

export function pictureUrl(name, deck) {
  return `deck/${encodeURIComponent(name)}.jpg?v=${deck.version}`;
}

export function showPlayers({ players, game, deck }) {
  $("#players-title").textContent = t("players");
  const list = $("#players");
  list.dataset.count = players.length;
  keyed(
    list,
    players.map((player) => ({ ...player, lines: null, winner: game.winners?.includes(player.name) })),
    (player) => player.name,
    (player) => {
      const won = player.won ?? [];
      const race = player.hand !== undefined; // its score is the tile on which the car stands
      return h(
        "li",
        {
          class: `player ${colourClass(player)}${player.active && !game.over ? " active" : ""}${player.winner ? " winner" : ""}`,
        },
        h("span", { class: "swatch", "aria-hidden": "true" }),
        h("h3", {}, player.winner ? icon("crown") : null, player.name),
        h(
          "p",
          { class: "who" },
          colourNames(player),
          player.active && !game.over ? h("strong", {}, t("active")) : null,
        ),
        h("p", { class: "score", "aria-label": t(race ? "holds.place" : "points", { n: player.score }) }, number(player.score)),
        player.meeples !== undefined || race
          ? h(
              "div",
              { class: "holds" },
              player.meeples !== undefined ? left("holds.meeples", player.meeples) : null,
              race ? h("span", {}, t("holds.place", { n: player.score })) : null,
              race ? h("span", {}, t("holds.hand", { n: player.hand })) : null,
              won.length ? h("ul", { class: "won", "aria-label": t("won", { name: player.name }) }, won.map((card) => cardPicture(card, deck))) : null,
            )
          : won.length
          ? h(
              "ul",
              { class: "won", "aria-label": t("won", { name: player.name }) },
              won.map((card) => cardPicture(card, deck)),
            )
          : h("p", { class: "won none" }, t("won.none")),
      );
    },
  );
}

function left(words, n) {
  const picture = s("svg", { viewBox: "-9 -9 18 18", "aria-hidden": "true" }, ...meeple());
  return h("span", { title: t(words, { n }) }, picture, h("span", { "aria-hidden": "true" }, `× ${n}`), h("span", { class: "unseen" }, t(words, { n })));
}

// Those who share a side sit beside each other.
function place(beside, name) {
  return (100 * (beside.findIndex((player) => player.name === name) + 1)) / (beside.length + 1);
}

// Name tabs where the players sit, as seen in the picture.
export function showSeats({ players }) {
  const seats = $("#seats");
  const at = (side) => players.filter((player) => player.side === side);
  keyed(
    seats,
    players.map(({ name, side, colours }) => ({ name, side, colours, place: place(at(side), name) })),
    (player) => player.name,
    ({ name, side, colours, place }) => {
      const tab = h("span", { class: `seat side-${side} ${colourClass({ colours })}` }, name);
      tab.style[side === "S" || side === "N" ? "left" : "top"] = `${place}%`;
      return tab;
    },
  );
}
