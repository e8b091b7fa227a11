import { on } from "./keys.js";

const chosen = "[aria-current]";

function rows() {
  return [...document.querySelectorAll("#groups a, .rows > li, .hits > li, tr.row")];
}

// In a list of links the next link is opened beside it; in other lists the next row is marked.
function step(by) {
  const all = rows();
  const now = all.findIndex((row) => row.matches(chosen));
  const next = all[Math.min(Math.max(now + by, 0), all.length - 1)];
  if (!next || next === all[now]) return;
  if (next.matches("#groups a")) { location.assign(next.href); return; }
  all[now]?.removeAttribute("aria-current");
  next.setAttribute("aria-current", "true");
  next.scrollIntoView({ block: "nearest" });
}

on("next", () => step(1));
on("previous", () => step(-1));
on("open", () => document.querySelector(`.rows > ${chosen} a, .hits > ${chosen} a, tr${chosen} a, #groups a${chosen}`)?.click());
on("compare", () => document.querySelector(`.rows > ${chosen} a.compare, a.compare`)?.click());
on("words", () => document.getElementById("words")?.focus());
on("provenance", () => document.querySelector("a.provenance")?.click());
on("judgeGroup", () => document.querySelector("a.judge-group")?.click());
for (const [action, value] of Object.entries({ accept: "accept", refuse: "refuse", mute: "mute", known: "known", snooze: "snoozed", takeBack: "open" })) {
  on(action, () => document.querySelector(`.rows > ${chosen} button[value=${value}]`)?.click());
}
for (const number of [1, 2, 3]) on(`column${number}`, () => document.querySelector(`[data-column="${number}"]`)?.focus());
on("help", () => document.getElementById("help")?.showModal());

let shown = 0;
export function passage(by) {
  const marks = [...document.querySelectorAll(".passage")].map((mark) => Number(mark.dataset.passage));
  const numbers = [...new Set(marks)].sort((a, b) => a - b);
  if (!numbers.length) return;
  shown = Math.min(Math.max(shown + by, 1), numbers.length);
  for (const side of [...document.querySelectorAll(".text")].reverse()) {
    const mark = side.querySelector(`[data-passage="${numbers[shown - 1]}"]`);
    if (!mark) continue;
    // Inside its own text only: the page itself stays where it is.
    side.scrollTop += mark.getBoundingClientRect().top - side.getBoundingClientRect().top - side.clientHeight / 3;
    mark.focus({ preventScroll: true });
  }
}
export function firstPassage() { shown = 0; }

on("nextPassage", () => passage(1));
on("previousPassage", () => passage(-1));
on("scrollBoth", () => {
  for (const side of document.querySelectorAll(".text")) side.scrollBy(0, side.clientHeight * 0.8);
});

// Days before months and 24 hours in English, too.
const language = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang;
const times = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
// A day, a month or a year without a time is the same in every zone.
const days = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" });
const months = new Intl.DateTimeFormat(language, { month: "long", year: "numeric", timeZone: "UTC" });
const formats = { 4: { format: (year) => String(year.getUTCFullYear()) }, 7: months, 10: days };
export function showTimes(part) {
  for (const time of part.querySelectorAll("time")) {
    time.title = time.textContent;
    time.textContent = (formats[time.dateTime.length] ?? times).format(new Date(time.dateTime));
  }
}

showTimes(document);
document.querySelector(`header nav ${chosen}`)?.scrollIntoView({ block: "nearest", inline: "center" });
document.querySelector(`#groups a${chosen}`)?.scrollIntoView({ block: "nearest" });
