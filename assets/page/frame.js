// What every page has around its pictures: its elements by name, messages, colours, the tip beside a cell, printing.
import { choices, element, labelOf, replaceChildren } from "./picture.js";

export const root = document.documentElement;
export const part = { maps: [], captions: [] }; // the elements of the document, by name

export const within = (value, count) => Math.min(Math.max(value, 0), count - 1);

export function say(text, isError = false) {
  part.message.textContent = text;
  part.message.classList.toggle("error", isError);
}

// ---- drawing and pressing ----

// A click is lost where its element is replaced between press and release, and so is the focus on its way by Tab: what loses the focus then,
// or a timer, may draw the page anew. A press, of the mouse or the space bar, ends with its release, or where what is pulled is to be seen.
let pressed = false,
  waiting = null; // what draws behind the press

// Whether drawing has to wait for the end of a press; then it follows by itself.
export function waitsForRelease(draw) {
  waiting = pressed && draw;
  return pressed;
}

// The click comes behind its release.
export function endPress() {
  pressed = false;
  setTimeout(() => waiting && waiting());
}

for (const kind of ["mousedown", "mousemove", "mouseup", "dragstart", "keydown", "keyup"])
  window.addEventListener(
    kind,
    ({ type, button, buttons, key }) => {
      if (type !== "mousemove" || !buttons) endPress();
      pressed ||= (type === "mousedown" && button === 0) || (type === "keydown" && [" ", "Tab"].includes(key));
      if (key === "Tab") setTimeout(endPress);
    },
    true,
  );

// Follows a pointer whose primary button is pressed: pull(event) once it has left its place by more than a hand at rest moves it, and then
// rest() at its end. `rise`: how much its height counts.
export function followPull(from, pull, rest, rise = 1) {
  if (from.button !== 0) return;
  let pulled = false;
  const kinds = ["pointermove", "pointerup", "pointercancel"],
    follow = ({ type, pointerId, clientX, clientY }) => {
      if (pointerId !== from.pointerId) return;
      const moves = type === kinds[0];
      pulled ||= moves && Math.hypot(clientX - from.clientX, (clientY - from.clientY) * rise) > 4;
      if (!moves) kinds.forEach((kind) => window.removeEventListener(kind, follow));
      if (!pulled) return;
      endPress();
      if (moves) pull(clientX, clientY);
      else rest();
    };
  kinds.forEach((kind) => window.addEventListener(kind, follow));
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

export function hideTip() {
  part.tip.hidden = true;
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
