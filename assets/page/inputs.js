// The inputs of a layer as tables of cells to type into, and its settings as switches and fields.
import { colorOf, numberText, rangeOf, spokenLabel, textOn, cssColor } from "./colors.js";
import { followPull, within } from "./frame.js";
import { copyOf, mayAttend, sessionWithNumbers } from "./layer.js";
import { button, element, labelOf, replaceChildren, setAttributes } from "./picture.js";
import { listOfSize, usesBias, usesParameter } from "./session.js";
import { tokensOf } from "./trace.js";

// ---- which inputs there are ----

// An input: { id, name, rows, columns, at(row, column), put(session, row, column, number) }. `numbers`: it is written as numbers before
// it is edited; `fixed`: it cannot be; `mask`: of 0 and 1.
const dimensions = (count, name = "dim") => listOfSize(count, (i) => `${name} ${i}`);

// Rows of numbers of one sequence: a list of rows, or of such a list for each sequence. `read` finds them in a session.
function batchInput(session, id, name, rows, sequence, read) {
  const rowsIn = (from) => (Array.isArray(read(from)[0][0]) ? read(from)[Math.min(sequence, read(from).length - 1)] : read(from)),
    own = rowsIn(session);
  return {
    id,
    name,
    rows,
    columns: dimensions(own[0].length),
    at: (row, column) => own[row][column],
    put: (edited, row, column, number) => {
      rowsIn(edited)[row][column] = number;
    },
  };
}

// A weight matrix, or a bias as its only row.
function weightInput(layer, id, name) {
  const { shape, data } = layer.weights[id],
    [outs, ins] = [dimensions(shape.at(-1), "out"), dimensions(shape[0], "in")],
    width = shape.at(-1);
  const turned = layer.weights.layout === "out_in" && shape.length === 2,
    single = shape.length === 1;
  return {
    id,
    name,
    rows: single ? ["bias"] : turned ? dimensions(shape[0], "out") : ins,
    columns: turned ? dimensions(width, "in") : outs,
    numbers: true,
    at: (row, column) => data[row * width + column],
    put: ({ weights }, row, column, number) => {
      (single ? weights[id] : weights[id][row])[column] = number;
    },
  };
}

// An edited mask is written out; rules that differ between sequences or heads are shown only.
function maskInput(session, layer) {
  const rows = tokensOf(session, false).map(spokenLabel),
    columns = tokensOf(session, true).map(spokenLabel),
    { offsets, keys, allowed } = layer.mask;
  const at = (row, column) => Number(mayAttend(layer, 0, 0, row, column)),
    fixed = offsets.length > 1 || keys.length > 1 || (allowed && allowed.shape[0] * allowed.shape[1] > 1);
  return {
    id: "mask",
    name: "mask",
    rows,
    columns,
    at,
    mask: true,
    fixed,
    put: ({ attention }, row, column, open) => {
      attention.mask = rows.map((_, r) => columns.map((_, c) => (r === row && c === column ? open : at(r, c))));
    },
  };
}

// Every table of numbers that the layer is computed from.
export function inputsOf(session, layer, sequence) {
  const queries = tokensOf(session, false).map(spokenLabel),
    keys = tokensOf(session, true).map(spokenLabel),
    inputs = [];
  const add = (id, name, rows, read) => read(session) && inputs.push(batchInput(session, id, name, rows, sequence, read));
  add("embeddings", "embeddings", queries, (from) => from.embeddings);
  add("key_embeddings", "embeddings of the key tokens", keys, (from) => from.key_embeddings);
  for (const name of ["query", "key", "value"])
    add(`given.${name}`, `given ${name}`, name === "query" ? queries : keys, (from) => from.given?.[name]);
  for (const name of ["query", "key", "value", "output"]) {
    if (usesParameter(layer, name)) inputs.push(weightInput(layer, name, `W ${name}`));
    if (usesBias(layer, name)) inputs.push(weightInput(layer, `${name}_bias`, `bias of ${name}`));
  }
  if (layer.projection !== "weights") inputs.push(maskInput(session, layer));
  return inputs;
}

// The session with one number changed; weights that were drawn become numbers beside their recipe.
export function editedSession(session, layer, input, row, column, number) {
  const edited = input.numbers ? sessionWithNumbers(layer) : copyOf(session);
  input.put(edited, row, column, number);
  return edited;
}

// ---- the table ----

const BLOCK = { row: 64, column: 16 }; // cells in sight at once; larger tables are leafed through
const numberOf = (value) => (typeof value === "number" ? value : Number(value.replace("inf", "Infinity")));

// slopes: a gradient for each number, whose arrows stand in the cells.
// callbacks: change(id of the input, row, column, number, isTyping), rest() after an edit, and perhaps
// look(input, place) at a cell that is pointed at.
export class InputTable {
  constructor(callbacks) {
    this.callbacks = callbacks;
    this.place = { row: 0, column: 0 };
    this.block = { row: 0, column: 0 };
    this.root = element("div.input-table", {
      keydown: (event) => this.key(event),
      pointerdown: (event) => this.beginDrag(event),
      // A click on a mask's cell switches it, two on a number begin to edit it.
      click: ({ target }) => target.place && this.input.mask && this.edit(target.place),
      dblclick: ({ target }) => target.place && !this.input.mask && this.edit(target.place),
      focusin: ({ target }) => {
        if (target.place) this.moveTo(target.place, false);
        this.look(target);
      },
      pointerover: ({ target }) => this.look(target),
    });
  }

  look({ place }) {
    if (place) this.callbacks.look?.(this.input, place);
  }

  count(axis) {
    return this.input[`${axis}s`].length;
  }

  // Draws the table anew where its shape changed, else only its numbers: what is being typed stays.
  show(input, theme, hold) {
    this.input = input;
    this.theme = theme;
    for (const axis of ["row", "column"]) {
      this.place[axis] = Math.min(this.place[axis], this.count(axis) - 1);
      if (this.block[axis] >= this.count(axis)) this.block[axis] = 0;
    }
    const shape = JSON.stringify([input.id, input.rows, input.columns, this.block]);
    if (shape !== this.shape) this.build();
    this.shape = shape;
    if (!hold || !this.range)
      this.range = rangeOf(
        input.rows.flatMap((_, row) => input.columns.map((_, column) => numberOf(input.at(row, column)))),
        "inputs",
        0,
      );
    this.cells.flat().forEach((cell) => this.fill(cell));
  }

  build() {
    const { input, block } = this,
      inSight = (axis) => input[`${axis}s`].slice(block[axis], block[axis] + BLOCK[axis]);
    this.cells = inSight("row").map((_, row) =>
      inSight("column").map((_, column) =>
        Object.assign(element("td", { role: "gridcell", tabindex: "-1" }), {
          place: { row: block.row + row, column: block.column + column },
        }),
      ),
    );
    const table = element(
      "table",
      { role: "grid", class: input.mask ? "grid mask" : "grid", "aria-label": input.name, "aria-readonly": input.fixed ? "true" : null },
      element(
        "thead",
        element(
          "tr",
          { role: "row" },
          element("td"),
          inSight("column").map((name) => element("th", { scope: "col" }, labelOf(name))),
        ),
      ),
      element(
        "tbody",
        inSight("row").map((name, row) => element("tr", { role: "row" }, element("th", { scope: "row" }, labelOf(name)), this.cells[row])),
      ),
    );
    replaceChildren(
      this.root,
      element("div.scrolled", table),
      ...["column", "row"].filter((axis) => this.count(axis) > BLOCK[axis]).map((axis) => this.pager(axis)),
    );
    this.at(this.place)?.setAttribute("tabindex", "0");
  }

  pager(axis) {
    const from = this.block[axis],
      end = Math.min(from + BLOCK[axis], this.count(axis));
    const leaf = (to, disabled, text, label) =>
      button(
        {
          disabled,
          "aria-label": `${label} ${axis}s`,
          "data-key": label + axis,
          click: () => {
            this.block[axis] = to;
            this.show(this.input, this.theme);
          },
        },
        text,
      );
    return element(
      "div.pager",
      leaf(from - BLOCK[axis], from === 0, "‹", "earlier"),
      `${axis}s ${from} to ${end - 1} of ${this.count(axis)}`,
      leaf(end, end === this.count(axis), "›", "later"),
    );
  }

  fill(cell) {
    if (cell.querySelector("input")) return;
    const { input } = this,
      { row, column } = cell.place,
      number = numberOf(input.at(row, column)),
      color = !input.mask && Number.isFinite(number) ? colorOf(this.range, this.theme, number) : null;
    cell.textContent = input.mask ? (number ? "✓" : "") : numberText(number, Math.abs(number) < 10 ? 2 : 1);
    const slope = this.slopes?.[row * this.count("column") + column];
    if (slope) {
      // The way that lowers the loss.
      const arrow = element("span.arrow", { "aria-hidden": "true" }, slope > 0 ? "↓" : "↑");
      arrow.style.fontSize = `${0.5 + Math.abs(slope / Math.max(...this.slopes.map(Math.abs))) / 2}rem`;
      cell.prepend(arrow);
    }
    cell.classList.toggle("closed", Boolean(input.mask) && !number);
    Object.assign(cell.style, { background: color ? cssColor(color) : "", color: color ? textOn(color) : "" });
    const said = !input.mask ? numberText(number, 4) : number ? "may attend" : "hidden",
      gradient = slope ? `, gradient ${numberText(slope, 4)}` : "";
    cell.setAttribute("aria-label", `${this.nameOf(cell.place)}: ${said}${gradient}`);
  }

  nameOf({ row, column }) {
    return `${this.input.rows[row]}, ${this.input.columns[column]}`;
  }

  at({ row, column }) {
    return this.cells[row - this.block.row]?.[column - this.block.column];
  }

  // Another block comes into sight where the place lies outside of this one.
  moveTo({ row, column }, focuses = true) {
    this.at(this.place)?.setAttribute("tabindex", "-1");
    this.place = { row, column };
    if (!this.at(this.place)) {
      this.block = { row: row - (row % BLOCK.row), column: column - (column % BLOCK.column) };
      this.show(this.input, this.theme);
    }
    this.at(this.place).setAttribute("tabindex", "0");
    if (focuses) this.at(this.place).focus();
  }

  key(event) {
    const { place } = event.target,
      { mask } = this.input;
    if (!place || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -Infinity], End: [0, Infinity] }[
      event.key
    ];
    const moved = (axis, by) => within(place[axis] + by, this.count(axis));
    if (step) this.moveTo({ row: moved("row", step[0]), column: moved("column", step[1]) });
    else if (event.key === "Enter" || event.key === "F2" || (mask && event.key === " ")) this.edit(place);
    else if (/^[-−+.\d]$/.test(event.key) && !mask) this.edit(place, event.key);
    else return;
    event.preventDefault();
  }

  edit({ row, column }, typed) {
    const { input } = this,
      cell = this.at({ row, column }),
      before = numberOf(input.at(row, column));
    const change = (number, typing) => this.callbacks.change(input.id, row, column, number, typing);
    if (input.fixed || cell.querySelector("input")) return;
    if (input.mask) return change(before ? 0 : 1, false);
    const field = element("input", {
      type: "text",
      inputmode: "decimal",
      "aria-label": this.nameOf({ row, column }),
      value: typed ?? shortestDigits(before),
    });
    let ended = false;
    const end = (keeps, step) => {
      if (ended) return;
      ended = true;
      if (!keeps && field.value !== shortestDigits(before)) change(before, true);
      field.remove();
      this.callbacks.rest();
      if (step !== null) this.moveTo({ row: Math.min(row + step, this.count("row") - 1), column });
    };
    const enter = () => {
      const number = parsedNumber(field.value);
      setAttributes(field, { "aria-invalid": number === null ? "true" : null });
      if (number !== null) change(number, true);
    };
    setAttributes(field, {
      input: enter,
      blur: () => end(true, null),
      keydown: (event) => {
        const nudge = { ArrowUp: 1, ArrowDown: -1 }[event.key];
        if (event.key === "Enter") end(true, 1);
        else if (event.key === "Escape") end(false, 0);
        else if (nudge) {
          field.value = shortestDigits((parsedNumber(field.value) ?? 0) + nudge * (event.shiftKey ? 1 : 0.1));
          enter();
        } else return;
        event.preventDefault();
      },
    });
    cell.replaceChildren(field);
    field.focus();
    field.setSelectionRange(typed === undefined ? 0 : 1, field.value.length);
    if (typed !== undefined) enter();
  }

  // A mouse pulls a number to the right for more, to the left for less.
  beginDrag(event) {
    const { place } = event.target,
      { input } = this;
    if (!place || event.pointerType !== "mouse" || input.fixed || input.mask) return;
    const { row, column } = place,
      before = numberOf(input.at(row, column)),
      unit = Math.max(Math.abs(this.range.high), 0.1) / 100,
      pull = (x) => this.callbacks.change(input.id, row, column, Number((before + (x - event.clientX) * unit).toFixed(3)), true);
    followPull(event, pull, () => this.callbacks.rest(), 0);
  }
}

// The number of a typed text, with either minus sign and either decimal sign; null where it is none.
export function parsedNumber(text) {
  const plain = text.trim().replace("−", "-").replace(",", ".");
  const number = Number(plain);
  return plain !== "" && Number.isFinite(number) && Math.abs(number) < 3.4e38 ? number : null;
}

// The shortest digits that are the same float32.
export function shortestDigits(value) {
  for (let digits = 1; digits < 9; ++digits) {
    const text = Number(value).toPrecision(digits);
    if (Math.fround(Number(text)) === Math.fround(value)) return String(Number(text));
  }
  return String(value);
}

// ---- settings ----

export function toggle(label, key, on, choose) {
  return button(
    { role: "switch", class: "switch", "aria-checked": String(on), "aria-label": label, "data-key": key, click: () => choose(!on) },
    element("span.knob"),
  );
}

// step: what an arrow key adds; with Shift ten times as much.
export function numberField(label, key, value, choose, step = 0.1) {
  const field = element("input.number-field", {
    type: "text",
    inputmode: "decimal",
    "aria-label": label,
    "data-key": key,
    value: shortestDigits(value),
  });
  const enter = () => {
    const number = parsedNumber(field.value);
    setAttributes(field, { "aria-invalid": number === null ? "true" : null });
    if (number !== null && number !== value) choose(number);
    field.defaultValue = field.value;
  };
  setAttributes(field, {
    change: enter,
    keydown: (event) => {
      const nudge = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (!nudge) return;
      event.preventDefault();
      choose(Number(((parsedNumber(field.value) ?? value) + nudge * step * (event.shiftKey ? 10 : 1)).toFixed(4)));
    },
  });
  return field;
}
