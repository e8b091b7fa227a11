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
let saving = Promise.resolve();
// The next pairs, asked for before they are wanted; those being saved are not offered again meanwhile.
const ahead = [];
const inHand = new Set();
const most = 3;
let fetching = null;

function pair() { return place.querySelector(".pair"); }
function same(one, other) { return one.dataset.a === other.dataset.a && one.dataset.b === other.dataset.b; }

// Not crypto.randomUUID: browsers have it only on HTTPS and on localhost.
function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function fetched(query) {
  const answer = await fetch(`/judge/pair?${new URLSearchParams([["queue", queue], ...query])}`, { headers: { accept: "text/html" } });
  // Whoever is not signed in any more is led to another page.
  if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
  // Parsed without running anything; the page's own policy holds in it too.
  return new DOMParser().parseFromString(await answer.text(), "text/html").body.firstElementChild;
}

function idsOf(part) { return [["besides", part.dataset.a], ["besides", part.dataset.b]]; }

function prefetch() {
  const now = pair();
  if (!now || fetching || ahead.length >= most) return;
  const besides = [now, ...ahead, ...inHand].flatMap(idsOf);
  fetching = fetched(besides)
    .then((part) => {
      if (!part.dataset.a) return false;
      // It may have been shown again by an undo meanwhile.
      if (![pair(), ...ahead, ...inHand].some((one) => one && same(one, part))) ahead.push(part);
      return true;
    })
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
      if (answer.status < 500 && answer.status !== 429) throw Object.assign(new Error(String(answer.status)), { final: answer.status });
    } catch (error) {
      if (error.final || number === tries) throw error;
    }
    if (number === tries) throw new Error("no answer");
    await new Promise((wake) => setTimeout(wake, 150 * 2 ** number));
  }
}

function reasonOf(error) { return error.final === 401 ? words.signedOut : words.failed; }

async function save(part, body) {
  inHand.add(part);
  try {
    const answer = await send("/v1/judgements", part.dataset.key, body);
    done.push(answer.number);
    count(answer);
  } catch (error) {
    // The counter has not moved; the pair comes back, and that on the page after it.
    said.textContent = reasonOf(error);
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
    seconds: Math.round(performance.now() - since) / 1000, queue, seen_verdict: Boolean(part.dataset.seen),
  };
  if (repeats[choice]) body.repeats = repeats[choice];
  // The pair came back because no answer did; its key may stand for the other choice already.
  if (part.dataset.choice && part.dataset.choice !== choice) part.dataset.key = newKey();
  part.dataset.choice = choice;
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

// A key that is held down makes one judgement, too.
for (const choice of choices) on(choice, (event) => { if (!event.repeat) judge(choice); });
place.addEventListener("submit", (event) => {
  event.preventDefault();
  judge(event.submitter.value);
});

async function takeBack() {
  const number = done.pop();
  if (!number) { said.textContent = words.nothing; return; }
  let answer;
  try { answer = await send(`/v1/judgements/${number}/undo`, newKey(), {}); } catch (error) {
    done.push(number);
    said.textContent = reasonOf(error);
    return;
  }
  if (!done.length && answer.last) done.push(answer.last);
  count(answer);
  said.textContent = words.undone;
  // A pair whose document was forgotten since is not shown again.
  const part = await fetched([["a", answer.a], ["b", answer.b]]).catch(() => null);
  if (!part) return;
  const now = pair();
  const waiting = now && !inHand.has(now) ? [now, ...ahead] : [...ahead];
  ahead.splice(0, ahead.length, ...waiting.filter((one) => !same(one, part)));
  show(part);
}

// One after another, as judgements are saved.
function undo() { saving = saving.then(takeBack); }
on("undo", (event) => { if (!event.repeat) undo(); });
document.getElementById("undo").addEventListener("submit", (event) => { event.preventDefault(); undo(); });

async function reveal() {
  const part = pair();
  if (!part) return;
  const answer = await fetch(`/judge/verdict?${new URLSearchParams({ a: part.dataset.a, b: part.dataset.b })}`);
  const text = answer.ok ? (await answer.text()).trim() : "";
  // The next pair may be on display by now.
  if (!text || pair() !== part) return;
  part.dataset.seen = "true";
  said.textContent = text;
}
on("reveal", reveal);
place.addEventListener("click", (event) => {
  if (event.target.closest(".reveal")) { event.preventDefault(); reveal(); }
  // The second half of a double click would judge the next pair.
  else if (event.detail > 1 && event.target.closest(".choices button")) event.preventDefault();
});

const chooser = document.querySelector("select[name=queue]");
chooser.addEventListener("change", () => chooser.form.requestSubmit());
document.querySelector("button.plain").hidden = true;

firstPassage();
passage(1);
document.activeElement?.blur();
prefetch();
