// What players do: one request each. Resolves to whether it was done; says why if not.
import { $ } from "./dom.js";
import { t } from "./speak.js";

export async function act(path, body = {}) {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (response.ok) return true;
    const { error } = await response.json().catch(() => ({}));
    tell(t("error.refused"), error);
  } catch {
    tell(t("error.away"));
  }
  return false;
}

let hiding;

function tell(words, detail = "") {
  const toast = $("#toast");
  toast.textContent = words;
  toast.title = detail;
  toast.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => (toast.hidden = true), 6000);
}
