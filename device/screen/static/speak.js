// Says the page's own words and numbers in the language that is set.
import { WORDS } from "./words.js";

let language = "en";
let numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });

export const NAMES = { en: "English", fr: "Français", de: "Deutsch" };

export function setLanguage(wished) {
  language = WORDS[wished] ? wished : "en";
  numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  document.documentElement.lang = language;
}

export function t(key, params = {}) {
  const words = WORDS[language][key] ?? key;
  return words.replace(/\{(\w+)\}/g, (_, name) => params[name] ?? "");
}

// French puts a space before : ; ? and ! at which no line may break.
export function joined(words) {
  return words.replace(/ (?=[:;?!»])/g, "\u00a0").replace(/« /g, "«\u00a0");
}

// A number as it is written there, with a true minus sign.
export function number(value) {
  return numbers.format(value).replace("-", "−");
}

export function quantity(value, unit = "mm") {
  return unit ? `${number(value)}\u00a0${unit}` : number(value);
}

export function clock(seconds) {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

export function list(names) {
  return new Intl.ListFormat(language).format(names);
}
