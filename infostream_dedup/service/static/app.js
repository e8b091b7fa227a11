// Keys by place on the keyboard, so that they work on Ukrainian, Russian and English layouts alike.
const keys = {
  groups: { KeyJ: () => step(1), KeyK: () => step(-1), KeyC: compareSecond, Slash: focusWords },
  compare: { KeyN: () => passage(1), KeyP: () => passage(-1) },
  search: {},
};

function step(by) {
  const links = [...document.querySelectorAll("#groups a")];
  const now = links.findIndex((link) => link.hasAttribute("aria-current"));
  const next = links[now + by];
  if (next) location.assign(next.href);
}

function compareSecond() {
  const link = document.querySelector("a.compare");
  if (link) location.assign(link.href);
}

function focusWords(event) {
  const box = document.getElementById("words");
  if (box) { event.preventDefault(); box.focus(); }
}

let shown = 0;
function passage(by) {
  const numbers = [...new Set([...document.querySelectorAll(".passage")].map((mark) => Number(mark.dataset.passage)))].sort((a, b) => a - b);
  if (!numbers.length) return;
  shown = Math.min(Math.max(shown + by, 1), numbers.length);
  for (const side of [...document.querySelectorAll(".text")].reverse()) {
    const mark = side.querySelector(`[data-passage="${numbers[shown - 1]}"]`);
    if (mark) { mark.scrollIntoView({ block: "center" }); mark.focus({ preventScroll: true }); }
  }
}

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, textarea, select");
  if (typing && event.code === "Enter" && event.ctrlKey && event.target.form) event.target.form.requestSubmit();
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const action = (keys[document.body.className] || {})[event.code];
  if (action) action(event);
});

const times = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
for (const time of document.querySelectorAll("time")) {
  time.title = time.textContent;
  time.textContent = times.format(new Date(time.dateTime));
}
document.querySelector("#groups a[aria-current]")?.scrollIntoView({ block: "nearest" });
