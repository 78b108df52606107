// Other pictures of a stage than maps: weights as lines from queries to keys, and rows of numbers as points in a plane.
import { numberText, shareText } from "./colors.js";
import { followPull } from "./frame.js";
import { choices, element, labelOf, rootPx, shortenedText, TEXT_FAMILY } from "./picture.js";

const LEAST_LINE = 0.01, // shares that are drawn
  MOST_WIDE = 24; // tokens with room between them

// ---- flow ----

export const FLOW_WORDS =
  "Lines run from the token that asks, at the left, to what it looks at: the thicker, the larger the share. Negative ones are purple.";

// A line for each share that a query (at the left) gives to a key (at the right). names: {rows, columns}; share(row, column); chosen:
// {row, column}; ofColumn: the lines of the chosen column stand out, not those of the row; pick({row} or {column}).
export function flowPicture({ names: { rows, columns }, share, chosen, ofColumn, pick }) {
  const count = Math.max(rows.length, columns.length),
    step = count > MOST_WIDE ? 1.25 : 1.75,
    y = (at) => (at + 0.5) * step;
  const lineOf = (row, column) => {
    const size = Math.min(Math.abs(share(row, column)), 1),
      stands = ofColumn ? column === chosen.column : row === chosen.row;
    if (!(size >= LEAST_LINE)) return [];
    const path = element("svg:path", {
      class: share(row, column) < 0 ? "negative" : stands ? "stands" : null,
      d: `M0 ${y(row)}C50 ${y(row)} 50 ${y(column)} 100 ${y(column)}`,
      "vector-effect": "non-scaling-stroke",
      "stroke-width": (rootPx(0.75) * size).toFixed(2),
      "stroke-opacity": stands ? null : (0.1 + 0.3 * size).toFixed(2),
    });
    return [{ path, stands }];
  };
  const all = rows.flatMap((_, row) => columns.flatMap((_, column) => lineOf(row, column))).sort((a, b) => a.stands - b.stands),
    paths = all.map(({ path }) => path);
  const side = (axis, label, list, given) => {
    const tokens = list.map((name, at) => [at, labelOf(name), given && element("span.quiet", given(at) ? shareText(given(at)) : "")]);
    return choices(label, `flow.${axis}`, `flow-${axis}`, tokens, chosen[axis], (at) => pick({ [axis]: at }), 1, true);
  };
  const flow = element(
    "div.flow",
    side("row", "the token that asks", rows, ofColumn && ((row) => share(row, chosen.column))),
    element("svg:svg", { "aria-hidden": "true", viewBox: `0 0 100 ${count * step}`, preserveAspectRatio: "none" }, ...paths),
    side("column", "the token that is looked at", columns, !ofColumn && ((column) => share(chosen.row, column))),
  );
  flow.style.setProperty("--step", `${step}rem`);
  flow.style.setProperty("--high", `${count * step}rem`);
  return flow;
}

// ---- vectors ----

// The ends of the axes: all points and the origin, as wide as high.
function planeOf(points, side) {
  const ends = [0, 1].map((axis) => points.map((point) => point[axis])).map((all) => [Math.min(0, ...all), Math.max(0, ...all)]),
    unit = (side - rootPx(4.5)) / (Math.max(...ends.map(([low, high]) => high - low)) || 1),
    [x, y] = ends.map(([low, high]) => (low + high) / 2);
  return {
    at: ([a, b]) => [side / 2 + (a - x) * unit, side / 2 - (b - y) * unit],
    numbersAt: (left, top) => [(left - side / 2) / unit + x, (side / 2 - top) / unit + y],
  };
}

// An arrow that ends beside its point; one too short for its head is a line.
function arrowTo([x1, y1], [x2, y2], name) {
  const long = Math.hypot(x2 - x1, y2 - y1),
    [dx, dy] = long > 18 ? [(x2 - x1) / long, (y2 - y1) / long] : [0, 0],
    [x, y] = [x2 - 6 * dx, y2 - 6 * dy],
    corner = (side) => `L${x - 8 * dx + 4 * side * dy} ${y - 8 * dy - 4 * side * dx}`;
  return element("svg:path", { class: name, d: `M${x1} ${y1}L${x} ${y}${corner(1)}${corner(-1)}L${x} ${y}` });
}

// sets: lists of rows of numbers, of which the first two are drawn, with their titles. arrows: "origin", from there to each point, or
// "sets", from the points of the first set to those of the second. pick(row); pull(row, [x, y], isTyping): a point of the first set is pulled.
export function vectorPicture({ names, sets, titles, arrows, chosen, pick, pull, side, plane }) {
  const points = sets.map((rows) => rows.map(([x, y = 0]) => [x, y].map((number) => (Number.isFinite(number) ? number : 0)))),
    own = plane ?? planeOf(points.flat(), side),
    [left, top] = own.at([0, 0]),
    font = `${rootPx(0.75)}px ${TEXT_FAMILY}`;
  const drawn = (place, row, set) => {
    const name = `set-${set}${row === chosen ? " chosen" : ""}`,
      [x, y] = own.at(place),
      pulled = pull && set === 0;
    return [
      arrows === "origin" && arrowTo([left, top], [x, y], name),
      arrows === "sets" && set === 1 && arrowTo(own.at(points[0][row]), [x, y], "between"),
      element("svg:circle", {
        class: name + (pulled ? " pulled" : ""),
        cx: x,
        cy: y,
        r: 5,
        click: () => pick(row),
        pointerdown: pulled && ((event) => pullPoint(event, own, (place, typing) => pull(row, place, typing, own))),
      }),
      (set === 0 || arrows === "origin") &&
        element("svg:text", { class: name, x, y: y + (set === 1 || y < rootPx(2) ? 18 : -9) }, shortenedText(names[row], rootPx(6), font)),
    ];
  };
  const said = sets.map(
    (rows, set) =>
      `${titles[set]}: ${rows.map((row, i) => `${names[i]} ${row.slice(0, 2).map((number) => numberText(number, 2))}`).join("; ")}`,
  );
  return element(
    "svg:svg",
    { class: "vectors", role: "img", "aria-label": said.join(". "), width: side, height: side },
    element("svg:path", { class: "axis", d: `M0 ${top}H${side}M${left} 0V${side}` }),
    element("svg:text", { class: "axis-name", x: side - rootPx(1.25), y: top + 15 }, "dim 0"),
    sets[0][0].length > 1 && element("svg:text", { class: "axis-name", x: left + rootPx(1.25), y: rootPx(0.75) }, "dim 1"),
    ...points
      .flatMap((rows, set) => rows.map((place, row) => drawn(place, row, set)))
      .reverse()
      .flat(),
  );
}

// The picture is drawn anew while its point is pulled; its parent stays.
function pullPoint(event, { numbersAt }, pulled) {
  const root = event.target.ownerSVGElement.parentNode,
    pull = (x, y) => {
      const box = root.firstElementChild.getBoundingClientRect();
      pulled(numbersAt(x - box.left, y - box.top), true);
    };
  event.preventDefault();
  followPull(event, pull, () => pulled(null, false));
}
