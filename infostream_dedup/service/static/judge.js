import { firstPassage, passage, showTimes } from "./app.js";
import { on } from "./keys.js";

const place = document.getElementById("pair");
const said = document.getElementById("said");
const words = document.getElementById("judge").dataset;
const queue = words.queue;
const choices = ["dup", "dup-b", "dup-a", "dup-both", "similar", "template", "translation", "different", "pass"];
const repeats = { "dup-b": "b", "dup-a": "a", "dup-both": "both" };
const tries = 4;
const seconds = new Intl.NumberFormat(document.documentElement.lang, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

const done = words.last ? [Number(words.last)] : [];
let since = performance.now();
let revealed = false;
let saving = Promise.resolve();
// The next pairs, asked for before they are wanted; those being saved are not offered again meanwhile.
const ahead = [];
const inHand = new Set();
const most = 3;
let fetching = null;

function pair() { return place.querySelector(".pair"); }

async function fetched(query) {
  const answer = await fetch(`/judge/pair?${new URLSearchParams([["queue", queue], ...query])}`, { headers: { accept: "text/html" } });
  if (!answer.ok) throw new Error(String(answer.status));
  // Parsed without running anything; the page's own policy holds in it too.
  return new DOMParser().parseFromString(await answer.text(), "text/html").body.firstElementChild;
}

function idsOf(part) { return [["besides", part.dataset.a], ["besides", part.dataset.b]]; }

function prefetch() {
  const now = pair();
  if (!now || fetching || ahead.length >= most) return;
  const besides = [now, ...ahead, ...inHand].flatMap(idsOf);
  fetching = fetched(besides)
    .then((part) => { if (part.dataset.a) ahead.push(part); return Boolean(part.dataset.a); })
    .catch(() => false)
    .then((more) => { fetching = null; if (more) prefetch(); });
}

function show(part) {
  place.replaceChildren(part);
  showTimes(place);
  firstPassage();
  passage(1);
  document.activeElement?.blur();
  since = performance.now();
  revealed = false;
  prefetch();
}

function count(answer) {
  document.getElementById("judged").textContent = answer.judged;
  document.getElementById("pace").textContent = answer.pace === null ? "–" : seconds.format(answer.pace);
  document.getElementById("undo").hidden = !answer.last;
}

// What was not answered is sent again under the same key: the desk stores it once.
async function send(path, key, body) {
  for (let number = 1; ; number++) {
    try {
      const answer = await fetch(path, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": key },
        body: JSON.stringify(body),
      });
      if (answer.ok) return await answer.json();
      if (answer.status < 500 && answer.status !== 429) throw Object.assign(new Error(String(answer.status)), { final: true });
    } catch (error) {
      if (error.final || number === tries) throw error;
    }
    if (number === tries) throw new Error("no answer");
    await new Promise((wake) => setTimeout(wake, 150 * 2 ** number));
  }
}

async function save(part, body) {
  inHand.add(part);
  try {
    const answer = await send("/v1/judgements", part.dataset.key, body);
    done.push(answer.number);
    count(answer);
  } catch {
    // The counter has not moved; the pair comes back, and that on the page after it.
    said.textContent = words.failed;
    const now = pair();
    if (now && now !== part) ahead.unshift(now);
    show(part);
  } finally {
    inHand.delete(part);
  }
}

let busy = false;
async function judge(choice) {
  const part = pair();
  if (!part || busy) return;
  busy = true;
  const body = {
    a: part.dataset.a, b: part.dataset.b, label: choice === "pass" ? null : choice.split("-")[0],
    seconds: Math.round(performance.now() - since) / 1000, queue, seen_verdict: revealed,
  };
  if (repeats[choice]) body.repeats = repeats[choice];
  said.textContent = "";
  inHand.add(part);
  saving = saving.then(() => save(part, body));
  if (!ahead.length) await fetching;
  const following = ahead.shift();
  // Where nothing was left, ask once this one is on file.
  if (following) show(following);
  else {
    await saving;
    if (pair() === part && !said.textContent) {
      try { show(await fetched([])); } catch { said.textContent = words.failed; }
    }
  }
  busy = false;
}

for (const choice of choices) on(choice, () => judge(choice));
place.addEventListener("submit", (event) => {
  event.preventDefault();
  judge(event.submitter.value);
});

async function undo() {
  await saving;
  const number = done.pop();
  if (!number) { said.textContent = words.nothing; return; }
  try {
    const answer = await send(`/v1/judgements/${number}/undo`, crypto.randomUUID(), {});
    if (!done.length && answer.last) done.push(answer.last);
    count(answer);
    const now = pair();
    if (now) ahead.unshift(now);
    show(await fetched([["a", answer.a], ["b", answer.b]]));
    said.textContent = words.undone;
  } catch {
    done.push(number);
    said.textContent = words.failed;
  }
}
on("undo", undo);
document.getElementById("undo").addEventListener("submit", (event) => { event.preventDefault(); undo(); });

on("reveal", async () => {
  const part = pair();
  if (!part) return;
  const answer = await fetch(`/judge/verdict?${new URLSearchParams({ a: part.dataset.a, b: part.dataset.b })}`);
  if (!answer.ok) return;
  revealed = true;
  said.textContent = (await answer.text()).trim();
});

const chooser = document.querySelector("select[name=queue]");
chooser.addEventListener("change", () => chooser.form.requestSubmit());
document.querySelector("button.plain").hidden = true;

firstPassage();
passage(1);
document.activeElement?.blur();
prefetch();
