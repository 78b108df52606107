// A lesson that stands still: its steps were evaluated by the program. It is read once it was opened.
import { readColours, writeProgress } from "./lesson_progress.js";

const { name, steps } = JSON.parse(document.getElementById("data").textContent).lesson;
writeProgress(name, { step: 0, read: steps - 1, steps });
document.documentElement.dataset.theme = readColours();
document.documentElement.dataset.ready = "still";
