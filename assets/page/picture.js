// What is drawn: heatmaps on a canvas with labels as text, bars, tables.
import { cssColor, colorMap, colorOf, greyOf, THEMES, numberText, shareText, textOn } from "./colors.js";

const SVG = "http://www.w3.org/2000/svg";

// An element: element("p.quiet.large", { attributes }, ...children), without attributes too. Those whose value is a function are handlers
// of events. Strings among the children become text nodes: nothing of a session is ever read as HTML.
export function element(name, ...rest) {
  const [tag, ...classes] = name.split("."),
    attributes = rest[0]?.constructor === Object ? rest.shift() : {};
  const made = tag.startsWith("svg:") ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
  if (classes.length > 0) made.setAttribute("class", classes.join(" "));
  setAttributes(made, attributes);
  made.append(...rest.flat().filter((child) => child || child === 0));
  return made;
}

export function setAttributes(target, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") target.addEventListener(name, value);
    else if (value === false || value === null || value === undefined) target.removeAttribute(name);
    else target.setAttribute(name, value === true ? "" : String(value));
  }
}

// A button with its text and what a click does.
export function button(attributes, ...children) {
  return element("button", { type: "button", ...attributes }, ...children);
}

// The place that a key goes to among `count` things, `across` of them in a row; undefined for other keys.
export function placeByKey(event, at, count, across = 1) {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const step = { ArrowRight: 1, ArrowDown: across, ArrowLeft: -1, ArrowUp: -across }[event.key];
  const next = event.key === "Home" ? 0 : event.key === "End" ? count - 1 : at + step;
  if (!(next >= 0 && next < count)) return undefined;
  event.preventDefault();
  return next;
}

// One of a few: a group of which only the chosen one is a stop of the keyboard. options: [value, ...children]; `across` stand in a row;
// again: the chosen one can be chosen again.
export function choices(label, key, className, options, current, choose, across, again) {
  const at = Math.max(
    0,
    options.findIndex(([value]) => value === current),
  );
  const pick = (value) => {
    if (again || value !== current) choose(value);
    focusOn(withKey(document, `${key}.${value}`));
  };
  return element(
    "div",
    { class: className, role: "radiogroup", "aria-label": label },
    options.map(([value, ...children], i) =>
      button(
        {
          role: "radio",
          "aria-checked": String(value === current),
          tabindex: i === at ? "0" : "-1",
          "data-key": `${key}.${value}`,
          click: () => pick(value),
          keydown: (event) => {
            const next = placeByKey(event, i, options.length, across);
            if (next !== undefined) pick(options[next][0]);
          },
        },
        children,
      ),
    ),
  );
}

export const focusOn = (target) => target?.focus({ preventScroll: true });

// The element of that key within another one, unless it is disabled.
export const withKey = (parent, key) => parent.querySelector(`[data-key="${CSS.escape(key)}"]:not(:disabled)`);

// Replaces the children; the element of the same key has the focus again, or the first one where that is gone or disabled.
export function replaceChildren(parent, ...children) {
  const active = document.activeElement,
    isWithin = parent.contains(active) && active !== parent,
    { key } = active.dataset;
  parent.replaceChildren(...children.flat().filter(Boolean));
  if (isWithin) focusOn((key && withKey(parent, key)) ?? parent.querySelector("button:enabled,input:enabled,a"));
}

// A label of a person's text: isolated, so that a text from right to left does not turn its neighbours round.
export function labelOf(text, name = "bdi") {
  return element(name, text);
}

let measuring = null;
export function textWidth(text, font) {
  measuring ??= document.createElement("canvas").getContext("2d");
  measuring.font = font;
  return measuring.measureText(text).width;
}

// The text, or as much of its beginning and end as fits around an ellipsis.
export function shortenedText(text, most, font) {
  const letters = [...text],
    wide = textWidth(text, font);
  const kept = (n) => letters.slice(0, Math.ceil(n / 2)).join("") + "…" + (n > 1 ? letters.slice(-Math.floor(n / 2)).join("") : "");
  if (wide <= most) return text;
  let n = Math.floor((letters.length * most) / wide);
  while (n > 1 && textWidth(kept(n), font) > most) --n;
  return kept(n);
}

export function rootPx(rem) {
  return rem * parseFloat(getComputedStyle(document.documentElement).fontSize);
}

export const TEXT_FAMILY = 'Inter, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif';
export const NUMBER_FAMILY = '"DejaVu Sans Mono", Menlo, Consolas, monospace';

// The sizes of a grid of maps: as many in a row as make their cells largest, square for pairs. `least`: of a
// map's side; `most`: of a cell's.
export function planMaps({ count, rows, columns, square, room, height, labelWidth, labelHeight, caption, gap, least, most }) {
  let best = null;
  for (let across = 1; across <= count; ++across) {
    const down = Math.ceil(count / across),
      wide = (room - labelWidth - gap * (across - 1)) / across / columns;
    const high = Math.max((height - down * (labelHeight + caption) - gap * (down - 1)) / down, least) / rows;
    const cellWidth = Math.min(wide, square ? (count > 1 ? Math.min(high, most) : most) : Math.max(most, rootPx(3.375)));
    const cellHeight = square ? cellWidth : Math.min(most, Math.max(high, rootPx(1.25)));
    // Maps that are too small count least; a last row that is not full is worth a sixth of the size.
    const fits = cellWidth * columns >= Math.min(least, room - labelWidth) - 0.5,
      worth = cellWidth * (count % across === 0 ? 1.2 : 1) * (fits ? 1 : 1e-3);
    if (!best || worth > best.worth * 0.98) best = { across, cellWidth, cellHeight, worth };
  }
  const whole = (size) => (size >= 6 ? Math.floor(size) : size);
  return { across: best.across, cellWidth: whole(best.cellWidth), cellHeight: whole(best.cellHeight) };
}

// planMaps() with labels around the maps: upright where every column is as wide as its name, else at 45 degrees.
export function planLabelledMaps(names, sizes) {
  const widest = (list) => Math.max(0, ...list.map((name) => textWidth(name, `600 ${rootPx(0.75)}px ${TEXT_FAMILY}`)));
  const longest = widest(names.columns),
    labelWidth = Math.min(widest(names.rows) + rootPx(0.75), rootPx(8), sizes.room * 0.26);
  const plan = (angled) => {
    const labelHeight = angled ? Math.min(longest * 0.72 + rootPx(1.125), rootPx(5)) : rootPx(1.5),
      room = sizes.room - (angled ? Math.min(longest, rootPx(5)) * 0.71 : 0);
    return {
      angled,
      labelWidth,
      labelHeight,
      ...planMaps({ ...sizes, labelWidth, labelHeight, caption: rootPx(2), gap: rootPx(1), room }),
    };
  };
  const straight = plan(false);
  return !sizes.square && straight.cellWidth >= longest + 4 ? straight : plan(true);
}

// One matrix as a picture. It is a single stop of the keyboard; the arrow keys go from cell to cell.
export class HeatMap {
  // handlers: of events of the canvas, called with the event and the cell under the pointer.
  constructor(handlers) {
    this.labels = element("svg:svg", { class: "labels", "aria-hidden": "true" });
    this.canvas = element("canvas", { role: "application", "aria-roledescription": "heatmap" });
    for (const [name, handler] of Object.entries(handlers))
      this.canvas.addEventListener(name, (event) => handler(event, this.cellAt(event)));
    this.root = element("div.plot", this.labels, this.canvas);
  }

  // shape: sizes of cells and labels, names of rows and columns; rowNames: none for a map to the right of one with the same rows.
  layOut(shape) {
    Object.assign(this, shape);
    const { cellWidth, cellHeight, rows, columns, labelHeight } = shape;
    this.left = shape.rowNames ? shape.labelWidth : 0;
    this.width = cellWidth * columns;
    this.height = cellHeight * rows;
    const whole = { width: `${this.left + this.width}px`, height: `${labelHeight + this.height}px` };
    Object.assign(this.root.style, whole);
    setAttributes(this.labels, whole);
    Object.assign(this.canvas.style, {
      left: `${this.left}px`,
      top: `${labelHeight}px`,
      width: `${this.width}px`,
      height: `${this.height}px`,
    });
  }

  cellAt(event) {
    const row = Math.floor(event.offsetY / this.cellHeight),
      column = Math.floor(event.offsetX / this.cellWidth);
    const inside = row >= 0 && row < this.rows && column >= 0 && column < this.columns;
    return inside ? { row, column } : null;
  }

  // Where a cell stands in the window.
  placeOf({ row, column }) {
    const { left, top } = this.canvas.getBoundingClientRect(),
      y = top + row * this.cellHeight;
    return { x: left + (column + 0.5) * this.cellWidth, top: y, bottom: y + this.cellHeight };
  }

  // picture: {value(row, column), hidden(row, column), dropped(row, column), range, grey, text(value), selected, pointed,
  // framed: the pair of the selection in the other maps, marks: rectangles that a lesson points at}
  paint(picture, theme) {
    this.paintLabels(picture);
    const density = Math.max(2, window.devicePixelRatio || 1);
    this.canvas.width = Math.ceil(this.width * density);
    this.canvas.height = Math.ceil(this.height * density);
    const pen = this.canvas.getContext("2d");
    pen.setTransform(density, 0, 0, density, 0, 0);
    this.paintCells(pen, picture, theme);
    this.paintMarks(pen, picture, theme);
  }

  paintCells(pen, picture, theme) {
    const colors = THEMES[theme],
      gap = this.cellWidth >= 10 && this.cellHeight >= 10 ? 1 : 0;
    const forbidden = new Path2D();
    for (let row = 0; row < this.rows; ++row)
      for (let column = 0; column < this.columns; ++column) {
        const x = column * this.cellWidth,
          y = row * this.cellHeight;
        if (picture.hidden(row, column)) {
          // Neighbours together: a path of many parts is slow to clip with.
          const first = column;
          while (column + 1 < this.columns && picture.hidden(row, column + 1)) ++column;
          forbidden.rect(x, y, (column + 1 - first) * this.cellWidth, this.cellHeight);
          continue;
        }
        const value = picture.value(row, column);
        let color = Number.isFinite(value) ? colorOf(picture.range, theme, value) : null;
        if (color && picture.grey) color = greyOf(color);
        pen.fillStyle = color ? cssColor(color) : colors.ground;
        pen.fillRect(x, y, this.cellWidth - gap, this.cellHeight - gap);
        if (picture.dropped?.(row, column)) this.paintCross(pen, x, y, color ? textOn(color) : colors.quiet);
        else this.paintNumber(pen, picture, row, column, color ? textOn(color) : colors.text);
      }
    this.paintHatching(pen, forbidden, theme);
  }

  paintNumber(pen, picture, row, column, color) {
    const text = picture.text(row, column);
    if (!text) return;
    pen.font = `${Math.round(Math.min(rootPx(0.75), this.cellHeight * 0.6))}px ${NUMBER_FAMILY}`;
    if (pen.measureText(text).width > this.cellWidth - 8) return;
    pen.fillStyle = color;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(text, (column + 0.5) * this.cellWidth - 0.5, (row + 0.5) * this.cellHeight);
  }

  // A weight that dropout has set to zero.
  paintCross(pen, x, y, color) {
    const r = Math.min(this.cellWidth, this.cellHeight) * 0.14,
      cx = x + this.cellWidth / 2,
      cy = y + this.cellHeight / 2;
    pen.strokeStyle = color;
    pen.lineWidth = 1;
    pen.stroke(new Path2D(`M${cx - r} ${cy - r}L${cx + r} ${cy + r}M${cx + r} ${cy - r}L${cx - r} ${cy + r}`));
  }

  // One quiet pattern over the whole forbidden region: 45 degrees, 6 px from line to line.
  paintHatching(pen, region, theme) {
    const step = 6 * Math.SQRT2;
    pen.save();
    pen.clip(region);
    pen.strokeStyle = theme === "dark" ? "#3b414c" : "#d3d7dd";
    pen.lineWidth = 1;
    pen.beginPath();
    for (let sum = step / 2; sum < this.width + this.height; sum += step) {
      pen.moveTo(sum - this.height, this.height);
      pen.lineTo(sum, 0);
    }
    pen.stroke();
    pen.restore();
  }

  paintMarks(pen, { selected, framed, pointed, marks = [] }, theme) {
    const colors = THEMES[theme];
    pen.strokeStyle = colors.lesson;
    pen.lineWidth = 2;
    pen.setLineDash([6, 4]);
    for (const { row, column, rows, columns } of marks)
      pen.strokeRect(column * this.cellWidth + 1, row * this.cellHeight + 1, columns * this.cellWidth - 3, rows * this.cellHeight - 3);
    pen.setLineDash([]);
    for (const [cell, width, color] of [
      [pointed, 1.5, colors.text],
      [framed, 1.5, colors.accent],
      [selected, 3, colors.accent],
    ]) {
      if (!cell) continue;
      pen.strokeStyle = color;
      pen.lineWidth = width;
      const inset = width / 2 - 0.5;
      pen.strokeRect(
        cell.column * this.cellWidth + inset,
        cell.row * this.cellHeight + inset,
        this.cellWidth - width,
        this.cellHeight - width,
      );
    }
  }

  // Where cells are smaller than letters only some names are shown, the chosen one among them.
  paintLabels({ selected, framed, pointed }) {
    const marked = selected ?? framed,
      size = rootPx(0.75),
      font = `${size}px ${TEXT_FAMILY}`;
    const label = (axis, names, cell, most, place) => {
      const every = Math.max(1, Math.ceil((size * 1.15) / cell)),
        chosen = marked?.[axis];
      return names.map((name, at) => {
        if (at !== chosen && (at % every !== 0 || (every > 1 && Math.abs(at - chosen) < every))) return null;
        const kind = at === chosen ? "chosen" : at === pointed?.[axis] ? "pointed" : "";
        return element(
          "svg:text",
          { class: `${axis} ${kind}`, direction: "ltr", ...place(at) },
          shortenedText(name, most, kind === "chosen" ? `600 ${font}` : font),
        );
      });
    };
    const y = this.labelHeight - rootPx(0.4375),
      x = (at) => this.left + (at + 0.5) * this.cellWidth;
    const rows =
      this.rowNames &&
      label("row", this.rowNames, this.cellHeight, this.labelWidth - rootPx(0.5), (at) => ({
        x: this.left - rootPx(0.5),
        y: this.labelHeight + (at + 0.5) * this.cellHeight,
      }));
    const columns = label(
      "column",
      this.columnNames,
      this.cellWidth * (this.angled ? 0.9 : 1),
      this.angled ? (this.labelHeight - rootPx(0.75)) * 1.35 : this.cellWidth - 2,
      (at) => ({
        x: x(at),
        y,
        ...(this.angled ? { transform: `rotate(-45 ${x(at)} ${y})`, "text-anchor": "start" } : { "text-anchor": "middle" }),
      }),
    );
    replaceChildren(this.labels, rows ?? [], columns);
  }
}

// The title, the colours and the numbers of a range.
export function colorBar(range, theme, title, percent) {
  const colors = colorMap(range.kind, theme);
  const stops = Array.from({ length: 17 }, (_, i) => cssColor(colors[Math.min(255, i * 16)])).join(",");
  const at = (t) => (range.logarithmic ? range.low * (range.high / range.low) ** t : range.low + (range.high - range.low) * t);
  const text = (t) =>
    percent ? shareText(at(t)).replace(t < 1 ? "\u00a0%" : /^$/, "") : numberText(at(t), Math.abs(range.high) < 10 ? 2 : 0);
  const bar = element("div.bar-colors");
  bar.style.background = `linear-gradient(to right, ${stops})`;
  return element(
    "div",
    { class: "color-bar", role: "img", "aria-label": `colours: ${title} from ${text(0)} to ${text(1)}` },
    element("div.bar-title", title),
    bar,
    element("div.bar-ticks", ...[0, 0.5, 1].map((t) => element("span", t === 0.5 && range.low === -range.high ? "0" : text(t)))),
  );
}

// A table of numbers for those who do not see a picture.
export function numberTable(caption, rowNames, columnNames, text) {
  return element(
    "table.numbers",
    element("caption", caption),
    element(
      "thead",
      element(
        "tr",
        element("td"),
        columnNames.map((name) => element("th", { scope: "col" }, labelOf(name))),
      ),
    ),
    element(
      "tbody",
      rowNames.map((name, row) =>
        element(
          "tr",
          element("th", { scope: "row" }, labelOf(name)),
          columnNames.map((_, column) => element("td", text(row, column))),
        ),
      ),
    ),
  );
}

// One row as bars: a table of name (a text, or an element), bar and number. From zero at the left, or at the middle where a number is
// negative. most: the number of a whole bar; without it the largest.
export function rowBars(caption, names, values, text, chosen, pick, most) {
  const finite = values.filter(Number.isFinite);
  most ??= Math.max(...finite.map(Math.abs), 0) || 1;
  const negative = finite.some((v) => v < 0);
  const body = names.map((name, at) => {
    const value = values[at],
      length = Number.isFinite(value) ? (100 * Math.abs(value)) / most / (negative ? 2 : 1) : 0;
    const fill = element("span", { class: `fill${value < 0 ? " negative" : ""}` });
    fill.style.width = `${length}%`;
    fill.style.left = negative ? `${value < 0 ? 50 - length : 50}%` : "0";
    return element(
      "tr",
      { class: at === chosen ? "chosen" : null, click: pick && (() => pick(at)) },
      element("th", { scope: "row" }, typeof name === "string" ? labelOf(name) : name),
      element("td.track", { "aria-hidden": "true" }, element("span.rail", fill)),
      element("td.value", text(at)),
    );
  });
  return element("table.row-bars", element("caption", caption), element("tbody", body));
}
