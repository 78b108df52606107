// The list of a course's lessons: how far each was read, and where to go on.
import { isReadToEnd, readColours, readProgress } from "./lesson_progress.js";

const courseProgress = readProgress(),
  courseLinks = [...document.querySelectorAll("[data-lesson]")];

for (const link of courseLinks) {
  const progress = courseProgress[link.dataset.lesson];
  if (!progress) continue;
  const isRead = isReadToEnd(progress);
  link.classList.toggle("read", isRead);
  link.querySelector(".progress").textContent = isRead ? "read" : `step ${progress.step + 1} of ${progress.steps}`;
}

// The first lesson of the course that was not read to its end; variations can be skipped.
const courseNext = courseLinks.find(
  (link) => !link.closest(".variation") && !(courseProgress[link.dataset.lesson] && isReadToEnd(courseProgress[link.dataset.lesson])),
);
if (courseNext) {
  const way = document.createElement("a");
  way.className = "primary";
  way.href = courseNext.getAttribute("href");
  way.textContent = `${Object.keys(courseProgress).length === 0 ? "Begin" : "Go on"}: ${courseNext.querySelector("bdi").textContent}`;
  document.getElementById("go-on").append(way);
}
document.documentElement.dataset.theme = readColours();
document.documentElement.dataset.ready = "live";
