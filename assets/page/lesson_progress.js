// How far the lessons of a course were read, in the browser's storage: {NAME: {step, read, steps}}, where `step` was left, `read` is the
// last step that was seen and `steps` how many there are.
const PROGRESS_KEY = "headlight.lessons";

export function readProgress() {
  try {
    return JSON.parse(localStorage.getItem(PROGRESS_KEY)) ?? {};
  } catch {
    return {}; // a browser that stores nothing, or what another page wrote
  }
}

export function writeProgress(name, progress) {
  try {
    localStorage.setItem(PROGRESS_KEY, JSON.stringify({ ...readProgress(), [name]: progress }));
  } catch {
    // The lesson can be read without.
  }
}

// The colours that were chosen on a page of the course: "light", "dark", or "auto" as the system has them.
const COLOURS_KEY = "headlight.colours";

export function readColours() {
  try {
    const choice = localStorage.getItem(COLOURS_KEY);
    return ["light", "dark"].includes(choice) ? choice : "auto";
  } catch {
    return "auto";
  }
}

export function writeColours(choice) {
  try {
    localStorage.setItem(COLOURS_KEY, choice);
  } catch {
    // The next page begins with the system's.
  }
}

export const isReadToEnd = ({ read, steps }) => read >= steps - 1;
