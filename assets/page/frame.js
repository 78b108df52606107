// What every page has around its pictures: its elements by name, messages, colours, the tip beside a cell, printing.
import { choices, element, labelOf, replaceChildren } from "./picture.js";

export const root = document.documentElement;
export const part = { maps: [], captions: [] }; // the elements of the document, by name

export const within = (value, count) => Math.min(Math.max(value, 0), count - 1);

export function say(text, isError = false) {
  part.message.textContent = text;
  part.message.classList.toggle("error", isError);
}

// ---- settings ----

// One of a few words. options: [value, text].
export function segments(label, key, options, current, choose) {
  return settingRow(label, choices(label, key, "segments", options, current, choose));
}

export function settingRow(label, ...controls) {
  return element("div.setting", element("span.setting-name", label), element("span.setting-control", controls));
}

// ---- the colours of the page ----

const systemDark = window.matchMedia("(prefers-color-scheme: dark)");

// look: {theme, themeChoice}; "auto" follows the system. look.keepTheme: what stores a choice, on pages that have it.
export function setTheme(look, render, choice, printing = false) {
  if (!printing) look.themeChoice = choice;
  look.theme = choice === "auto" ? (systemDark.matches ? "dark" : "light") : choice;
  root.dataset.theme = look.theme;
  root.toggleAttribute("data-print", printing);
  replaceChildren(
    part.theme,
    segments(
      "colours",
      "theme",
      ["auto", "light", "dark"].map((word) => [word, word]),
      look.themeChoice,
      (next) => {
        look.keepTheme?.(next);
        setTheme(look, render, next);
      },
    ),
  );
  render();
}

// Draws the page, and again when the system's colours or the width of the window change, and for paper.
export function keepDrawn(look, render) {
  const again = () => setTheme(look, render, look.themeChoice);
  again();
  systemDark.addEventListener("change", again);
  let width = 0;
  new ResizeObserver(() => {
    if (width === root.clientWidth) return;
    width = root.clientWidth;
    render();
  }).observe(root);
  window.addEventListener("beforeprint", () => setTheme(look, render, "light", true));
  window.addEventListener("afterprint", again);
}

// ---- the cell that is pointed at ----

// What a key does in a map: [axis, by]; undefined for other keys.
export function stepInMap(event, columns) {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  return {
    ArrowUp: ["row", -1],
    ArrowDown: ["row", 1],
    ArrowLeft: ["column", -1],
    ArrowRight: ["column", 1],
    Home: ["column", -columns],
    End: ["column", columns],
    PageUp: ["head", -1],
    PageDown: ["head", 1],
  }[event.key];
}

// place: of the cell in the window.
export function showTipAt(place, pair, value, where) {
  part.tip.replaceChildren(element("span.tip-pair", labelOf(pair), element("b", value)), element("span.tip-where", where));
  part.tip.hidden = false;
  const box = part.tip.getBoundingClientRect(),
    left = Math.min(Math.max(8, place.x + 12), root.clientWidth - box.width - 8);
  const top = place.bottom + 8 + box.height < window.innerHeight ? place.bottom + 8 : place.top - box.height - 8;
  part.tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}
