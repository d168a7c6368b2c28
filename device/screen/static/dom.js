// Making and refreshing elements.
import { joined } from "./speak.js";

const SVG = "http://www.w3.org/2000/svg";

// h("button", {class: "big", onclick: f, "aria-label": "…"}, "text", child, [children], null)
export function h(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

export function s(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  const shown = children.flat().filter((child) => child !== null && child !== undefined && child !== false);
  element.append(...shown.map((child) => (typeof child === "string" ? joined(child) : child)));
  return element;
}

// Shows `items` as children of `parent`. What is the same as before stays the same element, so that focus and
// transitions survive; `make(item)` builds what is new or has changed.
export function keyed(parent, items, keyOf, make) {
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let place = null;
  for (const item of items) {
    const key = String(keyOf(item));
    const print = document.documentElement.lang + JSON.stringify(item);
    let element = old.get(key);
    if (!element || element.dataset.print !== print) {
      const focused = element?.contains(document.activeElement);
      const made = make(item, !element);
      made.dataset.key = key;
      made.dataset.print = print;
      element?.replaceWith(made);
      if (focused) (made.matches("button") ? made : made.querySelector("button"))?.focus();
      element = made;
    }
    old.delete(key);
    const wanted = place ? place.nextSibling : parent.firstChild;
    if (wanted !== element) parent.insertBefore(element, wanted);
    place = element;
  }
  for (const gone of old.values()) gone.remove();
}

// One of the symbols in index.html.
export function icon(name) {
  return s("svg", { class: "icon", "aria-hidden": "true" }, s("use", { href: `#i-${name}` }));
}

export function $(selector) {
  return document.querySelector(selector);
}
