// Naming the faces of a new deck: each cut-out is shown, turned upright, and called by an id.
import { $, h } from "./dom.js";

const WORDS = {
  en: {
    heading: "What are these faces called?",
    explain: "Give each face an id, such as palace_a. Pictures with the same id are the same face. The kind, such as palace, is what it stands for in the game; left empty, the id tells it.",
    id: "Id", kind: "Kind", count: "Copies", title: "Title", turn: "Turn", skip: "No face",
    like: (n) => `Looks like ${n}. If it is the same face, give it the same id.`,
    left: (n) => (n ? `${n} without a name` : "All have a name"),
    done: "Make the deck", made: "The names are taken; the deck is being made. You may close this page.",
    away: "Kibitz does not answer.",
  },
  fr: {
    heading: "Comment s'appellent ces faces ?",
    explain: "Donnez un nom à chaque face, par exemple palace_a. Des images de même nom sont la même face. La sorte, par exemple palace, est ce qu'elle représente dans le jeu ; laissée vide, le nom la donne.",
    id: "Nom", kind: "Sorte", count: "Copies", title: "Titre", turn: "Tourner", skip: "Pas une face",
    like: (n) => `Ressemble à ${n}. Si c'est la même face, donnez-lui le même nom.`,
    left: (n) => (n ? `${n} sans nom` : "Toutes ont un nom"),
    done: "Créer le jeu de cartes", made: "Les noms sont pris ; le jeu est en cours de création. Vous pouvez fermer cette page.",
    away: "Kibitz ne répond pas.",
  },
  de: {
    heading: "Wie heißen diese Bilder?",
    explain: "Jedes Bild bekommt einen Namen, etwa palace_a. Bilder mit demselben Namen sind dieselbe Karte. Die Art, etwa palace, ist, wofür es im Spiel steht; leer gelassen, sagt sie der Name.",
    id: "Name", kind: "Art", count: "Anzahl", title: "Titel", turn: "Drehen", skip: "Keine Karte",
    like: (n) => `Sieht aus wie ${n}. Ist es dieselbe Karte, bekommt sie denselben Namen.`,
    left: (n) => (n ? `${n} ohne Namen` : "Alle haben einen Namen"),
    done: "Kartensatz anlegen", made: "Die Namen sind übernommen; der Kartensatz wird angelegt. Diese Seite kann geschlossen werden.",
    away: "Kibitz antwortet nicht.",
  },
};

let words = WORDS.en;
let sides = [];

async function post(path, body) {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (response.ok) return say("");
    const { error } = await response.json().catch(() => ({}));
    return say(error ?? words.away);
  } catch {
    return say(words.away);
  }
}

// Shows what went wrong; resolves to whether nothing did.
function say(text) {
  $("#said").textContent = text;
  $("#said").hidden = !text;
  return !text;
}

function count() {
  $("#left").textContent = words.left(sides.filter((side) => !side.id && !side.skip).length);
}

function card(side) {
  const image = h("img", { src: `side/${side.number}.jpg`, alt: side.id || String(side.number) });
  const box = h("section", { class: "side", "data-side": String(side.number) });

  const show = () => {
    image.style.rotate = `${side.turn}deg`;
    image.classList.toggle("lying", side.turn % 180 !== 0);
    box.classList.toggle("named", Boolean(side.id) && !side.skip);
    box.classList.toggle("skipped", side.skip);
    skip.setAttribute("aria-pressed", String(side.skip));
    count();
  };
  const tell = () => {
    show();
    const { number, id, kind, copies, turn, title, skip } = { ...side, copies: side.count };
    return post("name", { side: number, id, kind, count: copies, turn, title, skip });
  };
  const field = (name, more = {}) =>
    h("label", {}, words[name], h("input", {
      name,
      value: String(side[name]),
      autocomplete: "off",
      spellcheck: "false",
      autocapitalize: "off",
      onchange: ({ target }) => {
        if (!target.checkValidity()) return;
        side[name] = name === "count" ? Number(target.value) : target.value.trim();
        if (name === "id" && side.id) side.skip = false;
        tell();
      },
      ...more,
    }));
  const turn = h("button", { type: "button", onclick: () => {
    side.turn = (side.turn + (side.square ? 90 : 180)) % 360;
    tell();
  } }, `↻ ${words.turn}`);
  const skip = h("button", { type: "button", onclick: () => {
    side.skip = !side.skip;
    tell();
  } }, words.skip);

  box.append(
    h("h2", {}, h("span", {}, String(side.number)), h("span", {}, side.where)),
    h("div", { class: "face" }, image),
    field("id", { pattern: "[A-Za-z_][A-Za-z0-9_.\\-]*" }),
    field("kind", { list: "kinds" }),
    field("count", { type: "number", min: "1", max: "10000", required: true }),
    field("title"),
    h("div", { class: "does" }, turn, skip),
  );
  if (side.like.length) box.append(h("p", { class: "like" }, words.like(side.like.join(", "))));
  show();
  return box;
}

async function begin() {
  const told = await (await fetch("sides")).json();
  const language = told.language || navigator.language.slice(0, 2);
  words = WORDS[language] ?? WORDS.en;
  document.documentElement.lang = WORDS[language] ? language : "en";
  sides = told.sides;
  document.title = words.heading;
  $("#heading").textContent = words.heading;
  $("#explain").textContent = words.explain;
  $("#done").textContent = words.done;
  $("#kinds").append(...told.kinds.map((kind) => h("option", { value: kind })));
  $("#sides").append(...sides.map(card));
  count();
  $("#done").addEventListener("click", async () => {
    if (!(await post("done", {}))) return;
    $("#done").disabled = true;
    $("#left").textContent = words.made;
    document.body.dataset.made = "yes";
  });
  document.body.dataset.ready = "yes";
}

begin();
