// Numbers of a picture for the clipboard.
import { say } from "./frame.js";

// A table as lines of tabs, with the names of its columns and rows.
export function tableText(columns, rows, numbers) {
  const line = (cells) => cells.join("\t");
  return [line(["", ...columns]), ...rows.map((name, row) => line([name, ...numbers(row)]))].join("\n");
}

export function copyNumbersText(text) {
  const done = () => say("The numbers are on the clipboard."),
    refused = () => say("This browser does not let a page write to the clipboard.", true);
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, refused);
  else refused();
}
