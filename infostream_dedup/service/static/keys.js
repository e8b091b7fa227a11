// The one table of keys: for each page what a key does, by its place on the keyboard (KeyboardEvent.code), so that it
// works on Ukrainian, Russian and English layouts alike. Shift is written before the code.
export const keys = {
  groups: { KeyJ: "next", KeyK: "previous", Enter: "open", KeyC: "compare", KeyP: "provenance", KeyG: "judgeGroup", Slash: "words" },
  compare: { KeyN: "nextPassage", KeyP: "previousPassage", Space: "scrollBoth" },
  search: { KeyJ: "next", KeyK: "previous", Enter: "open" },
  judge: {
    Digit1: "dup", KeyQ: "dup-b", KeyW: "dup-a", KeyE: "dup-both", Digit2: "similar", Digit3: "template",
    Digit4: "translation", Digit5: "different", Digit0: "pass", Backspace: "undo", "Shift+Slash": "reveal",
    Space: "scrollBoth", KeyN: "nextPassage", KeyP: "previousPassage",
  },
  labels: { KeyJ: "next", KeyK: "previous", Enter: "open" },
  now: { Space: "pause", KeyJ: "next", KeyK: "previous", Enter: "open" },
  stories: { KeyJ: "next", KeyK: "previous", Enter: "open" },
  story: { Digit1: "column1", Digit2: "column2", Digit3: "column3" },
  provenance: { KeyJ: "next", KeyK: "previous", KeyC: "compare" },
  explore: { ArrowLeft: "lessK", ArrowRight: "moreK", KeyR: "recommendedK" },
  templates: { KeyJ: "next", KeyK: "previous", Enter: "open", KeyA: "accept", KeyR: "refuse", KeyM: "mute", Backspace: "takeBack" },
  alarms: { KeyJ: "next", KeyK: "previous", Enter: "open", KeyA: "known", KeyZ: "snooze", Backspace: "takeBack" },
  sources: { KeyJ: "next", KeyK: "previous", Enter: "open" },
  model: { KeyT: "begin", KeyD: "download", KeyJ: "next", KeyK: "previous", Enter: "open" },
  methods: { KeyT: "begin", KeyJ: "next", KeyK: "previous", Enter: "open" },
  settings: {},
};
export const everywhere = { F1: "help", "Shift+Slash": "help" };

const actions = new Map();

// Say what an action does; a page registers those of its own.
export function on(action, run) {
  actions.set(action, run);
}

export function nameOf(event) {
  return (event.shiftKey ? "Shift+" : "") + event.code;
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input:not([type=radio]), textarea, select");
  if (typing && event.code === "Enter" && event.ctrlKey && event.target.form) event.target.form.requestSubmit();
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (typing && event.code !== "F1") return;
  if (document.querySelector("dialog[open]")) return;
  const name = nameOf(event);
  const action = (keys[document.body.className] || {})[name] || everywhere[name];
  // A key that works a button or a link stays with it.
  if (["Enter", "Space"].includes(event.code) && event.target.closest("a, button, summary")) return;
  if (action && actions.has(action)) {
    event.preventDefault();
    actions.get(action)(event);
  }
});
