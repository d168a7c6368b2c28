// What a piece on the table was taken for, and the way to put that right.
import { $, h } from "./dom.js";
import { act } from "./act.js";
import { closeButton, closeOutside } from "./detail.js";
import { colourClass, pictureUrl } from "./players.js";
import { number, t } from "./speak.js";

const dialog = $("#piece");
closeOutside(dialog);

const SHOWN_BY_A_DIE = [1, 2, 3]; // both games' dice

export function askPiece(state, id) {
  const piece = (state.table.pieces ?? []).find((one) => one.id === id);
  if (!piece) return;
  const [ask, choices] = { die, meeple, car }[piece.kind]?.(piece, state) ?? flat(piece, state);
  dialog.replaceChildren(
    closeButton(dialog),
    h(
      "div",
      { class: "body" },
      h("h2", { id: "piece-text" }, t("piece.title", { name: piece.name })),
      state.game.game === "carcassonne" && piece.kind === "tile" && piece.picture ? featureMap(piece, state.deck) : null,
      h("p", {}, ask),
      choices,
    ),
  );
  dialog.showModal();
}

const FEATURES = ["Road", "City", "Field", "Monastery", "FlyingMachine"];

// The tile with its features coloured: what a meeple that stands there stands on.
function featureMap({ picture }, deck) {
  const name = encodeURIComponent(picture);
  return h(
    "div",
    { class: "feature-map" },
    h(
      "span",
      { class: "stack" },
      h("img", { src: pictureUrl(picture, deck), alt: "" }),
      h("img", { src: `features/${name}.png`, alt: t("piece.map"), onerror: (event) => event.target.remove() }),
    ),
    h("div", {}, h("p", {}, t("piece.map")), h("ul", {}, FEATURES.map((kind) => h("li", { class: `f-${kind}` }, t(`feature.${kind}`))))),
  );
}

async function say(choice, value) {
  if (await act("say", { choice, value: String(value) })) dialog.close();
}

// A card or a tile: any other face of the deck.
function flat(piece, { deck }) {
  const faces = (deck.faces ?? []).filter((face) => face.kind !== piece.face);
  const choose = (face) =>
    h(
      "button",
      { type: "button", onclick: () => say(`face:${piece.id}`, face.kind) },
      face.picture ? h("img", { src: pictureUrl(face.picture, deck), alt: "", loading: "lazy" }) : null,
      h("span", {}, face.name),
    );
  return [piece.kind === "tile" ? t("piece.ask_tile") : t("piece.ask"), h("ul", { class: "faces" }, faces.map((face) => h("li", {}, choose(face))))];
}

function die() {
  return [t("piece.die"), buttons(SHOWN_BY_A_DIE.map((value) => [number(value), "", () => say("die", value)]))];
}

function meeple(piece, { players }) {
  const others = players.filter((player) => player.colours?.[0] !== piece.colour);
  const choose = (player) => [player.name, colourClass(player), () => say(`colour:${piece.id}`, player.colours[0])];
  return [t("piece.whose"), buttons(others.map(choose))];
}

function car(piece, { players, board }) {
  const driver = players.find((player) => player.colours?.[0] === piece.colour);
  if (!driver) return null;
  const choose = (stop, index) => [`${index}: ${stop.name}`, "", () => say(`car:${driver.name}`, index)];
  return [t("piece.tile", { name: driver.name }), buttons((board?.track ?? []).map(choose))];
}

function buttons(choices) {
  const choose = ([words, kind, onclick]) => h("button", { type: "button", class: kind, onclick }, h("span", {}, words));
  return h("div", { class: "options" }, choices.map(choose));
}
