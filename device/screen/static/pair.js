// Pairing: the main screen shows a code, a phone brings it; what has been paired can be taken out again.
import { $, h, icon } from "./dom.js";
import { act } from "./act.js";
import { closeButton, closeOutside } from "./detail.js";
import { askWhatIMay, me } from "./me.js";
import { t } from "./speak.js";

const dialog = $("#pairing");
closeOutside(dialog);

// A screen of footage on its own machine has nobody to pair.
export async function meet() {
  await askWhatIMay();
  const brought = new URLSearchParams(location.hash.slice(1)).get("pair");
  if (brought) {
    history.replaceState(null, "", location.pathname + location.search); // no secret stays in the address
    if (me.pairing && !me.paired) await send(brought, nameOf(navigator.userAgent), openEnter);
  }
  showPair();
}

export function showPair() {
  const button = $("#pair");
  button.hidden = !me.pairing || (me.paired && !me.here);
  button.setAttribute("aria-label", t("pair"));
  button.title = t("pair");
  button.replaceChildren(icon("pair"));
  button.onclick = () => (me.here ? openMain() : openEnter());
}

function nameOf(agent) {
  return /iPhone|iPad|Android|Macintosh|Windows|Linux/.exec(agent)?.[0] ?? "";
}

async function openMain() {
  const [offer, devices] = await Promise.all(["pairing", "devices"].map((path) => fetch(path).then((r) => r.json())));
  const picture = URL.createObjectURL(new Blob([offer.qr], { type: "image/svg+xml" }));
  const image = h("img", { alt: "", src: picture, onload: () => URL.revokeObjectURL(picture) });
  const offered = [
    h("p", {}, t("pair.why")),
    h("figure", { class: "qr" }, image),
    h("p", {}, t("pair.or", { url: offer.url.split("#")[0] })),
    h("p", { class: "code" }, offer.code.replace(/(.{4})/, "$1 ")),
  ];
  fill(
    h("h2", { id: "pairing-text" }, t("pair")),
    offer.reachable ? offered : h("p", {}, t("pair.local")),
    h("h3", {}, t("pair.devices")),
    devices.length ? h("ul", { class: "devices" }, devices.map(row)) : h("p", { class: "aside" }, t("pair.none")),
  );
}

function row({ id, name }) {
  const out = h("button", { type: "button" }, t("pair.revoke", { name }));
  out.onclick = async () => (await act("devices/revoke", { id })) && openMain();
  return h("li", {}, h("span", {}, name), out);
}

function openEnter() {
  const code = h("input", { id: "pair-code", autocomplete: "off", autocapitalize: "characters", maxlength: "12" });
  const name = h("input", { id: "pair-name", maxlength: "40", value: nameOf(navigator.userAgent) });
  const wrong = h("p", { class: "aside", role: "alert", hidden: true }, t("pair.wrong"));
  const go = h("button", { type: "button" }, t("pair.send"));
  go.onclick = () => send(code.value, name.value, () => (wrong.hidden = false));
  fill(
    h("h2", { id: "pairing-text" }, t("pair")),
    h("p", {}, t("pair.enter")),
    h("label", { for: "pair-code" }, t("pair.code")),
    code,
    h("label", { for: "pair-name" }, t("pair.name")),
    name,
    wrong,
    go,
  );
}

async function send(code, name, refused) {
  const response = await fetch("pair", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code, name }),
  }).catch(() => null);
  if (!response?.ok) return refused();
  dialog.close();
  await meet();
}

function fill(...children) {
  dialog.replaceChildren(closeButton(dialog), h("div", { class: "body" }, ...children));
  if (!dialog.open) dialog.showModal();
}
