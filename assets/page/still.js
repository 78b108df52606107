// A page that stands still: its picture was made by the program, and its numbers are handed to whoever asks.
const stillData = JSON.parse(document.getElementById("data").textContent);
window.headlight = { stages: () => stillData.stages, session: () => stillData.session };
document.documentElement.dataset.ready = "still";
