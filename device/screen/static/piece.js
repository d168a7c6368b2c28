// What a card on the table was taken for, and the way to put that right.
import { $, h } from "./dom.js";
import { act } from "./act.js";
import { closeButton, closeOutside } from "./detail.js";
import { pictureUrl } from "./players.js";
import { t } from "./speak.js";

const dialog = $("#piece");
closeOutside(dialog);

export function askPiece({ table, deck }, id) {
  const piece = (table.pieces ?? []).find((one) => one.id === id);
  if (!piece) return;
  const correct = async (face) => {
    if (await act("say", { choice: `face:${id}`, value: face })) dialog.close();
  };
  const faces = (deck.faces ?? []).filter((face) => face.kind !== piece.face);
  dialog.replaceChildren(
    closeButton(dialog),
    h(
      "div",
      { class: "body" },
      h("h2", { id: "piece-text" }, t("piece.title", { name: piece.name })),
      h("p", {}, t("piece.ask")),
      h(
        "ul",
        { class: "faces" },
        faces.map((face) =>
          h(
            "li",
            {},
            h(
              "button",
              { type: "button", onclick: () => correct(face.kind) },
              face.picture ? h("img", { src: pictureUrl(face.picture, deck), alt: "", loading: "lazy" }) : null,
              h("span", {}, face.name),
            ),
          ),
        ),
      ),
    ),
  );
  dialog.showModal();
}
