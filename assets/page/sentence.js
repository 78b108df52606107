// A sentence in large type with beams from the word that asks to those that it looks at.
import { shareText, spokenLabel } from "./colors.js";
import { button, element, labelOf, placeByKey, rootPx, setAttributes } from "./picture.js";

const LEAST_BEAM = 0.02,
  LEAST_NAMED = 0.015; // shares of attention that are drawn, and written in blue

// The tokens as one line of words with beams from the word that asks. Words to attend to that are not those
// that ask (cross-attention) stand in a line of their own below.
export class Sentence {
  constructor({ ask, point }) {
    this.beams = element("svg:svg", { class: "beams", "aria-hidden": "true" });
    this.line = element("div.words", { role: "radiogroup", "aria-label": "the word that asks" });
    this.keyLine = element("div.words.keys", { "aria-label": "the words attended to" });
    this.inner = element("div.sentence-line", this.beams, this.line, this.keyLine);
    this.root = element("div.sentence", { tabindex: "-1" }, this.inner);
    this.callbacks = { ask, point };
  }

  setWords(words, keyWords, continues) {
    const { ask, point } = this.callbacks;
    const share = () => element("span.share");
    this.words = words.map((word, at) =>
      button(
        {
          role: "radio",
          class: `word${continues[at] ? " piece" : ""}`,
          click: () => ask(at),
          pointerenter: () => point(at),
          pointerleave: () => point(null),
          keydown: (event) => {
            const next = placeByKey(event, at, words.length);
            if (next === undefined) return;
            ask(next);
            this.words[next].focus();
          },
        },
        labelOf(word, "bdi.ink"),
        keyWords ? null : share(),
      ),
    );
    this.line.replaceChildren(...this.words);
    this.keyWords = keyWords?.map((word) => element("span.word", labelOf(word, "bdi.ink"), share())) ?? this.words;
    this.keyLine.replaceChildren(...(keyWords ? this.keyWords : []));
    this.keyLine.hidden = !keyWords;
    this.crosses = Boolean(keyWords);
    this.root.classList.toggle("crosses", this.crosses);
    this.root.classList.toggle("many", words.length > 12);
  }

  // Tokens as words, of which pieces of a word touch; the same ones keep their elements.
  setTokens(tokens, keyTokens) {
    const key = JSON.stringify([tokens, keyTokens]),
      starts = /^[ \u0120\u2581]/,
      pieces = tokens.some((token) => starts.test(token));
    if (this.key === key) return;
    this.key = key;
    this.setWords(
      tokens.map(spokenLabel),
      keyTokens?.map(spokenLabel),
      tokens.map((token, at) => pieces && at > 0 && !starts.test(token)),
    );
  }

  // shares: of each key; may be null where there are no weights.
  show(asking, shares, previewed) {
    this.words.forEach((word, at) => {
      const chosen = at === asking;
      setAttributes(word, { "aria-checked": String(chosen), tabindex: chosen ? "0" : "-1" });
      word.classList.toggle("asks", chosen);
      word.classList.toggle("previewed", at === previewed);
    });
    this.keyWords.forEach((word, at) => {
      const label = word.querySelector(".share"),
        share = shares ? shares[at] : 0;
      label.textContent = share ? shareText(share) : "";
      label.classList.toggle("named", share >= LEAST_NAMED);
    });
    this.shown = { asking: previewed ?? asking, shares };
    this.drawBeams();
  }

  // The chosen word comes into sight where the line is wider than the page.
  reveal(at) {
    const word = this.words[at],
      { offsetLeft: left, offsetWidth: width } = word,
      box = this.root;
    if (left < box.scrollLeft) box.scrollLeft = Math.max(0, left - 24);
    else if (left + width > box.scrollLeft + box.clientWidth) box.scrollLeft = left + width - box.clientWidth + 24;
  }

  drawBeams() {
    const { asking, shares } = this.shown;
    this.beams.replaceChildren();
    const own = this.words[asking];
    if (!shares || !own) return;
    const drawn = Array.from(shares, (share, key) => ({ share, key })).filter(
      ({ share, key }) => Math.abs(share) >= LEAST_BEAM && (this.crosses || key !== asking),
    );
    const unit = rootPx(1 / 16),
      middle = own.offsetLeft + own.offsetWidth / 2;
    const placed = drawn.map((beam) => {
      const word = this.keyWords[beam.key],
        to = word.offsetLeft + word.offsetWidth / 2;
      return { ...beam, to, width: Math.max(1.5, 15 * Math.min(Math.abs(beam.share), 1)) * unit, distance: to - middle };
    });
    // Side by side at the asking word, the longest outermost, and those that lead left before those that lead right: no line crosses
    // another.
    const ordered = placed.sort((a, b) => (a.distance < 0 === b.distance < 0 ? b.distance - a.distance : a.distance - b.distance)),
      gap = 2.5 * unit;
    const total = ordered.reduce((sum, b) => sum + b.width + gap, -gap);
    const squeeze = Math.min(1, (own.offsetWidth * 0.9) / Math.max(total, 1));
    let at = middle - (total * squeeze) / 2;
    for (const beam of ordered) {
      beam.from = at + (beam.width * squeeze) / 2;
      at += (beam.width + gap) * squeeze;
    }
    const farthest = Math.max(440 * unit, ...ordered.map((beam) => Math.abs(beam.distance)));
    this.beams.append(
      ...ordered.map((beam) =>
        element("svg:path", {
          d: this.path(beam, unit, farthest),
          "stroke-width": beam.width.toFixed(2),
          class: beam.share < 0 ? "negative" : null,
        }),
      ),
    );
  }

  // Both control points stand straight above the ends, or half way between the two lines of words.
  path({ from, to, distance }, unit, farthest) {
    const floor = this.words[0].offsetTop - 2 * unit,
      below = this.line.offsetTop + this.line.offsetHeight,
      end = this.keyLine.offsetTop;
    if (this.crosses) return `M${from} ${below}C${from} ${(below + end) / 2} ${to} ${(below + end) / 2} ${to} ${end}`;
    const lift = Math.max(20 * unit, (floor - 9 * unit) * Math.min(1, Math.abs(distance) / farthest));
    const top = floor - (lift * 4) / 3; // a cubic reaches three quarters of its control points' height
    return `M${from} ${floor}C${from} ${top} ${to} ${top} ${to} ${floor}`;
  }
}

// "In head 1 “step” looks at “one” with 70 % of its attention." `to`: the token that has most, `share` of it.
export function claimOf(where, from, to, share) {
  const quoted = (token) => ["“", labelOf(spokenLabel(token)), "”"],
    most = share > 0 ? [...quoted(to), ` with ${shareText(share)} of its attention.`] : ["nothing."];
  return [where, ...quoted(from), " looks at ", ...most];
}
