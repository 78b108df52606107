// Colour maps, ranges and number texts, as the window has them (app/figure/color, app/figure/plan).

// sRGB and OKLab: Björn Ottosson, "A perceptual color space for image processing", 2020.
function toLinear(channel) {
  const c = channel / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
}

function toSrgb(linear) {
  const c = Math.min(Math.max(linear, 0), 1);
  return Math.round(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055));
}

function rgbOf(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

function oklabOf(hex) {
  const [r, g, b] = rgbOf(hex).map(toLinear);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function rgbOfOklab([lightness, greenRed, blueYellow]) {
  const l = (lightness + 0.3963377774 * greenRed + 0.2158037573 * blueYellow) ** 3;
  const m = (lightness - 0.1055613458 * greenRed - 0.0638541728 * blueYellow) ** 3;
  const s = (lightness - 0.0894841775 * greenRed - 1.291485548 * blueYellow) ** 3;
  return [
    toSrgb(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    toSrgb(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    toSrgb(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

function lerp(a, b, t) {
  return a + (b - a) * t;
}

// Evenly in OKLab between three colours, so that equal steps of a number look equally large.
function throughThree(low, middle, high) {
  const [a, b, c] = [low, middle, high].map(oklabOf);
  return Array.from({ length: 256 }, (_, i) => {
    const t = i / 255;
    return rgbOfOklab(a.map((_, k) => (t < 0.5 ? lerp(a[k], b[k], 2 * t) : lerp(b[k], c[k], 2 * t - 1))));
  });
}

export const THEMES = {
  dark: { ground: "#1b1e24", text: "#e6e8eb", quiet: "#9aa3af", accent: "#f2b84b", lesson: "#ff7a6b" },
  light: { ground: "#ffffff", text: "#1c2127", quiet: "#5b6470", accent: "#b87a00", lesson: "#c8452f" },
};

const MAP_ANCHORS = {
  dark: {
    signed: ["#B493EB", "#1B1E24", "#4DB56F"],
    positive: ["#23352F", "#3F8F58", "#B5E8AF"],
    share: ["#2A3358", "#3A8588", "#CDEB8C"],
  },
  light: {
    signed: ["#7E4FB8", "#FFFFFF", "#1B7A3D"],
    positive: ["#DDEBE2", "#5FB47C", "#0F5A2B"],
    share: ["#EEF5DC", "#5FAFA0", "#1C3567"],
  },
};
const madeMaps = new Map();

// 256 colours [r, g, b]. Kinds: signed (purple to green), positive (green), share (blue to green).
export function colorMap(kind, theme) {
  const key = theme + kind;
  if (!madeMaps.has(key)) madeMaps.set(key, throughThree(...MAP_ANCHORS[theme][kind]));
  return madeMaps.get(key);
}

export function cssColor([r, g, b]) {
  return `rgb(${r},${g},${b})`;
}

// Black or white, whichever has the higher contrast of WCAG 2.
export function textOn([r, g, b]) {
  const l = 0.2126 * toLinear(r) + 0.7152 * toLinear(g) + 0.0722 * toLinear(b);
  return (l + 0.05) ** 2 < 1.05 * 0.05 ? "#ffffff" : "#000000";
}

// A head that is switched off: the map in grey of the same lightness.
export function greyOf([r, g, b]) {
  const l = toSrgb(0.2126 * toLinear(r) + 0.7152 * toLinear(g) + 0.0722 * toLinear(b));
  return [l, l, l];
}

const MOST_LINEAR = 16; // keys; more have weights of very different sizes
const LEAST_OF_EQUAL_SHARE = 0.01; // the low end of a logarithmic range, in equal shares

// The range of a stage's pictures: weights from 0 to 1 for up to 16 keys so that equal colours are equal
// weights, else logarithmic; other stages symmetric about zero, or from their least if nothing is negative.
export function rangeOf(data, stage, columns) {
  let low = Infinity,
    high = -Infinity;
  for (const v of data)
    if (Number.isFinite(v)) {
      if (v < low) low = v;
      if (v > high) high = v;
    }
  const empty = low > high;
  if (stage === "weights" || stage === "dropped") {
    if (empty) return { kind: "share", low: 0, high: 1 };
    if (low >= 0 && high > 0 && columns > MOST_LINEAR) {
      const least = Math.min(LEAST_OF_EQUAL_SHARE / columns, high / 10);
      return { kind: "share", low: Math.max(least, high * 1e-6), high, logarithmic: true };
    }
    return { kind: "share", low: Math.min(0, low), high: Math.max(1, high) };
  }
  if (empty) return { kind: "signed", low: -1, high: 1 };
  if (low >= 0) {
    if (high === 0) return { kind: "positive", low: 0, high: 1 };
    return high > low ? { kind: "positive", low, high } : { kind: "positive", low: low / 2, high: 1.5 * high };
  }
  const reach = Math.max(-low, high);
  return { kind: "signed", low: -reach, high: reach };
}

// The place of a value in its range, from 0 to 1.
export function shareOfRange(range, value) {
  let t;
  if (range.logarithmic) t = value > 0 ? Math.log(value / range.low) / Math.log(range.high / range.low) : 0;
  else t = (value - range.low) / (range.high - range.low);
  return Math.min(Math.max(t, 0), 1);
}

export function colorOf(range, theme, value) {
  return colorMap(range.kind, theme)[Math.round(255 * shareOfRange(range, value))];
}

// What lies half way goes to the even digit, as in the program; toFixed goes to the larger one.
function fixedDigits(size, decimals) {
  const digits = size.toFixed(decimals),
    exact = size.toFixed(Math.min(100, decimals + 40)),
    rest = exact.slice(exact.length - 40);
  if (decimals > 60 || !/^50*$/.test(rest)) return digits;
  const lower = exact.slice(0, decimals === 0 ? -41 : -40);
  return Number(lower.at(-1)) % 2 === 0 ? lower : digits;
}

// A number with a real minus sign; 0 for what rounds to zero has no sign.
export function numberText(value, decimals) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  const size = Math.abs(value);
  const digits = size < 1e6 ? fixedDigits(size, decimals) : size.toExponential(decimals).replace(/e\+(\d)$/, "e+0$1");
  return value < 0 && /[1-9]/.test(digits) ? "−" + digits : digits;
}

function shareDigits(share, decimals) {
  if (!Number.isFinite(share)) return numberText(share, 0);
  const percent = 100 * share,
    size = Math.abs(percent);
  if (share === 0 || size === 100) return numberText(percent, 0);
  const nearAnEnd = size < 1 || (size > 99 && size < 100);
  const shown = nearAnEnd ? Math.max(decimals, 1) : decimals;
  const unit = 10 ** -shown;
  if (size >= unit / 2 && !(size < 100 && size >= 100 - unit / 2)) return numberText(percent, shown);
  const end = Math.sign(percent) * (size > 50 ? 100 - unit : unit);
  return (size > 50 === percent > 0 ? "> " : "< ") + numberText(end, shown);
}

// Per cent, which never says none or all of a share that is neither: "58 %", "0.4 %", "< 0.1 %".
export function shareText(share, decimals = 0) {
  const digits = shareDigits(share, decimals);
  return Number.isFinite(share) ? digits + "\u00a0%" : digits;
}

export function isShare(stage) {
  return stage === "weights" || stage === "dropped";
}

export function valueText(stage, value, decimals = 4) {
  return isShare(stage) ? shareText(value, 1) : numberText(value, decimals);
}

// The digits that stand in a cell.
export function cellText(stage, value, decimals) {
  return isShare(stage) ? shareDigits(value, 0) : numberText(value, decimals);
}

// Characters that are invisible or change the order of others: controls and bidirectional marks. Joiners are
// parts of words and emoji.
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const MOST_LABEL = 256;

// A token as one visible line: "⏎" for a line break, "⇥" for a tab, "·" for a blank at an end.
export function visibleLabel(token) {
  let label = token.replace(INVISIBLE, (c) => {
    if (c === "\n") return "⏎";
    if (c === "\t") return "⇥";
    return "U+" + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  });
  label = label.replace(/^ +| +$/g, (blanks) => "·".repeat(blanks.length));
  const letters = [...label];
  if (letters.length > MOST_LABEL) label = letters.slice(0, MOST_LABEL / 2).join("") + "…" + letters.slice(-MOST_LABEL / 2).join("");
  return label;
}

// As a word of a sentence: without the blank that most tokens begin with.
export function spokenLabel(token) {
  return visibleLabel(/^ [^ ]/.test(token) ? token.slice(1) : token);
}
