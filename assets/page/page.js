// The page of one layer: the sentence, and the document that holds it with what panels.js draws.
import { visibleLabel } from "./colors.js";
import { copyOf } from "./layer.js";
import { moreSettings, renderMoreSettings } from "./layer_settings.js";
import { copyNumbersText, tableText } from "./copying.js";
import { keepDrawn, part, say, settingRow, waitsForRelease, within } from "./frame.js";
import { editedSession, InputTable } from "./inputs.js";
import { mapsShown, renderPicture, renderStrip } from "./maps.js";
import { nestedNumbers, pageKeys, renderBehind, renderInputs, renderLegend, renderSettings, renderTrace } from "./panels.js";
import { button, element, labelOf, setAttributes } from "./picture.js";
import { claimOf, Sentence } from "./sentence.js";
import { changeSession, clampCell, headCount, inputsNow, loadSession, namesNow, page, rowNow, select } from "./state.js";
import { tokensOf } from "./trace.js";

// ---- the sentence ----

function renderSentence() {
  const { session, stages, cell } = page;
  part.sentence.setTokens(session.tokens, session.key_tokens?.length ? session.key_tokens : null);
  const asking = within(cell.row, session.tokens.length),
    row = page.previewed ?? asking,
    shares = stages.has("weights") ? rowNow("weights", cell.head, row) : null;
  part.sentence.show(asking, shares, page.previewed);
  if (!shares) return;
  const most = Math.max(...shares),
    where = headCount() > 1 ? `In head ${cell.head + page.countFrom} ` : "";
  part.claim.replaceChildren(...claimOf(where, session.tokens[row], tokensOf(session, true)[shares.indexOf(most)], most));
}

// ---- the whole page ----

export function renderPage() {
  if (waitsForRelease(renderPage)) return;
  renderPicture();
  renderSentence();
  renderStrip();
  renderTrace();
  renderLegend();
  renderInputs();
  renderSettings();
  renderMoreSettings();
  part.undoAll.disabled = JSON.stringify(page.session) === JSON.stringify(page.opened);
}

function copyNumbers() {
  const names = namesNow(),
    text = (map) => tableText(names.columns, names.rows, (row) => rowNow(page.cell.stage, map, row));
  copyNumbersText(mapsShown().map(text).join("\n\n"));
}

// As a file that Headlight opens.
function saveSession() {
  const href = URL.createObjectURL(new Blob([JSON.stringify(page.session, null, 1)], { type: "application/json" }));
  element("a", { download: "session.headlight", href }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

function undoAll() {
  changeSession(page.opened);
  say("All changes are undone; Ctrl+Z brings them back.");
}

function buildPage() {
  const link = (text, click) => button({ class: "link", click }, text),
    section = (name, label) => element("section", { class: name, "aria-label": label });
  const { title, notes } = page.session;
  Object.assign(part, {
    message: element("p.message", { role: "status" }),
    claim: element("p.claim", { "aria-live": "polite" }),
    theme: element("div.theme"),
    strip: element("nav", { "aria-label": "stages" }),
    views: element("div.views"),
    picture: element("div.picture"),
    other: element("div.other"),
    trace: section("trace", "how the number came about"),
    bars: section("bars", "the row as bars"),
    caption: element("p.caption"),
    colors: element("div"),
    behindTables: element("div.scrolled", { tabindex: "0" }),
    settings: section("settings", "settings"),
    tip: element("div.tip", { hidden: true, "aria-hidden": "true" }),
    inputChoice: element("select", {
      "aria-label": "the input that is shown",
      change: () => {
        page.input = part.inputChoice.value;
        renderInputs();
      },
    }),
    undoAll: link("undo all changes", undoAll),
  });
  setAttributes(part.trace, { tabindex: "-1", "aria-live": "polite" });
  part.sentence = new Sentence({
    ask: (row) => select({ row }, true),
    point: (row) => {
      page.previewed = row;
      renderSentence();
    },
  });
  part.table = new InputTable({
    change: (id, row, column, number, typing) =>
      changeSession(
        editedSession(
          page.session,
          page.layer,
          inputsNow().find((input) => input.id === id),
          row,
          column,
          number,
        ),
        typing,
      ),
    rest: () => {
      page.editing = false;
      renderPage();
    },
  });
  part.behind = element(
    "details.behind",
    { toggle: () => part.behind.open && renderBehind() },
    element("summary", "The picture as a table of numbers"),
    part.behindTables,
  );
  document.body.replaceChildren(
    element(
      "div.page",
      element(
        "header",
        element("div.heading", element("h1", labelOf(visibleLabel(title || "A layer of attention"))), part.theme),
        notes ? element("p.notes", labelOf(notes.split("\n").map(visibleLabel).join("\n"))) : null,
        element("p.hint", "One layer of attention, computed in this page. Point at a cell, change a number."),
      ),
      element(
        "main",
        element("div.asking", part.sentence.root, part.claim),
        part.strip,
        element(
          "div.columns",
          element("div.seen", part.views, part.picture, part.other, part.trace, part.bars, part.caption, part.behind),
          element(
            "aside",
            { "aria-label": "inputs" },
            settingRow(element("b", "Input"), part.inputChoice),
            part.table.root,
            part.settings,
            moreSettings(),
            part.colors,
          ),
        ),
        part.message,
      ),
      element(
        "footer",
        element("span", "made with Headlight"),
        element("span.actions", part.undoAll, link("copy the numbers", copyNumbers), link("save the session", saveSession)),
      ),
    ),
    part.tip,
  );
}

function openPage() {
  const { session, view } = JSON.parse(document.getElementById("data").textContent);
  page.countFrom = view?.count_from ?? 0;
  loadSession(session);
  page.opened = page.session;
  const head = view?.head ?? 0,
    row = view?.row ?? session.tokens.length - 1,
    shares = rowNow("weights", head, row);
  Object.assign(page.cell, { head, row, column: view?.column ?? shares.indexOf(Math.max(...shares)) });
  clampCell();
  buildPage();
  keepDrawn(page, renderPage);
  part.sentence.reveal(row);
  document.addEventListener("keydown", pageKeys);
  window.headlight = {
    stages: () => Object.fromEntries([...page.stages].map(([name, stage]) => [name, nestedNumbers(stage)])),
    session: () => copyOf(page.session),
    load: (json) => {
      loadSession(json);
      Object.assign(page, { undone: [], redone: [], editing: false });
      say("");
      renderPage();
    },
  };
  document.documentElement.dataset.ready = "live";
}

openPage();
