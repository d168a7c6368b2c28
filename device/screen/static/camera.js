// The camera's own picture with what was recognised drawn over it. Fetched only while somebody looks, and gently.
import { $, s } from "./dom.js";
import { t } from "./speak.js";
import { viewing } from "./views.js";

const PACE_MS = 700;

const svg = $("#camera");
const image = s("image", { x: 0, y: 0 });
const outlines = s("g", { class: "outlines" });
const none = s("text", { class: "none", x: 640, y: 360 });
svg.append(image, outlines, none);

let next = null;
let url = null;

export function showCamera({ table, looking }) {
  const [width, height] = table.size_px?.[0] ? table.size_px : [1280, 720];
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("aria-label", t("camera.alt"));
  svg.classList.toggle("moving", Boolean(looking.moving));
  image.setAttribute("width", width);
  image.setAttribute("height", height);
  none.textContent = url ? "" : t("camera.none");
  outlines.setAttribute("visibility", url ? "visible" : "hidden"); // outlines of nothing are no picture
  outlines.replaceChildren(
    ...(table.pieces ?? []).map((piece) =>
      s("polygon", { points: piece.px.map((point) => point.join()).join(" ") }, s("title", {}, piece.name)),
    ),
  );
}

async function renew() {
  clearTimeout(next);
  if (viewing() !== "camera" || document.hidden) return;
  try {
    const response = await fetch("picture.jpg", { cache: "no-cache" });
    if (response.ok) show(await response.blob());
  } catch {
    // The service is away; the page says so already, and the last picture stays.
  }
  next = setTimeout(renew, PACE_MS);
}

function show(blob) {
  const old = url;
  url = URL.createObjectURL(blob);
  image.setAttribute("href", url);
  outlines.setAttribute("visibility", "visible");
  none.textContent = "";
  if (old) setTimeout(() => URL.revokeObjectURL(old), PACE_MS);
}

document.addEventListener("view", renew);
document.addEventListener("visibilitychange", renew);
