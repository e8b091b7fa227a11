import { showTimes } from "./app.js";
import { on } from "./keys.js";

const state = document.getElementById("live");
const list = document.getElementById("news");
const most = 100;
let paused = false;
// Paused by a key, which lasts until the key is pressed again, or while the pointer is over the list.
let held = false;
let over = false;
let waiting = [];
const muted = JSON.parse(list?.dataset.muted ?? "[]");

// A filling of a form that somebody muted.
function isMuted(verdict) {
  const words = new Set((verdict.title ?? "").toLowerCase().match(/\p{L}+/gu));
  return verdict.kind === "template" && muted.some(([source, form]) => source === verdict.source && form.every((word) => words.has(word)));
}

function shown(text) { state.textContent = text; }

function row(verdict) {
  const words = document.getElementById("statuses").dataset;
  const one = document.getElementById("one").content.cloneNode(true).firstElementChild;
  const [badge, link, small] = one.children;
  badge.classList.add(verdict.status);
  badge.textContent = words[verdict.status.replace(/_(.)/g, (_, letter) => letter.toUpperCase())] ?? verdict.status;
  link.href = `/documents/${encodeURIComponent(verdict.id)}`;
  link.firstElementChild.textContent = verdict.title || words.none;
  small.firstElementChild.textContent = verdict.source || words.nowhere;
  const time = small.querySelector("time");
  if (verdict.published) { time.dateTime = verdict.published; time.textContent = verdict.published; } else time.replaceWith(words.undated);
  showTimes(one);
  return one;
}

function add(verdicts) {
  for (const verdict of verdicts) list.prepend(row(verdict));
  while (list.children.length > most) list.lastElementChild.remove();
}

function pause() {
  paused = held || over;
  shown(paused ? state.dataset.paused : state.dataset.live);
  if (!paused) { add(waiting); waiting = []; }
}

let stream = null;
let last = state?.dataset.after;
function follow() {
  // One at a time, even if the page comes back while the last one is about to be asked for again.
  stream?.close();
  stream = new EventSource(`/v1/verdicts/events?after=${last}`);
  stream.addEventListener("open", () => shown(paused ? state.dataset.paused : state.dataset.live));
  stream.addEventListener("error", () => {
    shown(state.dataset.lost);
    // The browser asks again by itself after a break, but not after an answer such as a proxy's 502 during a restart.
    if (stream.readyState === EventSource.CLOSED) setTimeout(again, 3000);
  });
  stream.addEventListener("verdict", (event) => {
    last = event.lastEventId;
    const verdict = JSON.parse(event.data);
    if (verdict.forgotten || isMuted(verdict)) return;
    if (paused) waiting = [...waiting, verdict].slice(-most);
    else add([verdict]);
  });
}

async function again() {
  const answer = await fetch("/v1/verdicts?limit=1").catch(() => null);
  // The session has ended: the page leads to the entrance.
  if (answer?.status === 401) location.reload();
  else follow();
}

if (state) {
  follow();
  on("pause", () => { held = !held; pause(); });
  list.addEventListener("pointerenter", () => { over = true; pause(); });
  list.addEventListener("pointerleave", () => { over = false; pause(); });
  addEventListener("pagehide", () => stream.close());
  addEventListener("pageshow", (event) => { if (event.persisted) follow(); });
}
