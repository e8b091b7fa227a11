import { firstPassage, passage, showTimes } from "./app.js";
import { on } from "./keys.js";

const place = document.getElementById("pair");
const said = document.getElementById("said");
const words = document.getElementById("judge").dataset;
const queue = words.queue;
const choices = ["dup", "dup-b", "dup-a", "dup-both", "similar", "template", "translation", "different", "pass"];
const repeats = { "dup-b": "b", "dup-a": "a", "dup-both": "both" };
const tries = 4;

const done = words.last ? [Number(words.last)] : [];
let since = performance.now();
let revealed = false;
let saving = Promise.resolve();
let next = null;

function pair() { return place.querySelector(".pair"); }

async function fetched(query) {
  const answer = await fetch(`/judge/pair?${new URLSearchParams({ queue, ...query })}`, { headers: { accept: "text/html" } });
  if (!answer.ok) throw new Error(String(answer.status));
  // Parsed without running anything; the page's own policy holds in it too.
  return new DOMParser().parseFromString(await answer.text(), "text/html").body.firstElementChild;
}

function prefetch() {
  const now = pair();
  if (!now) { next = null; return; }
  // Only once the pair before is on file: until then it would be offered again.
  next = saving.then(() => fetched({ a: now.dataset.a, b: now.dataset.b, besides: "true" })).catch(() => null);
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
  document.getElementById("pace").textContent = answer.pace ?? "–";
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
  try {
    const answer = await send("/v1/judgements", part.dataset.key, body);
    done.push(answer.number);
    count(answer);
  } catch {
    // The counter has not moved; the pair comes back.
    said.textContent = words.failed;
    show(part);
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
  saving = saving.then(() => save(part, body));
  const following = await next;
  // Where the next pair was not fetched in time or nothing was left, ask once this one is on file.
  if (following?.dataset.a) show(following);
  else {
    await saving;
    if (pair() === part && !said.textContent) {
      try { show(await fetched({})); } catch { said.textContent = words.failed; }
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
    show(await fetched({ a: answer.a, b: answer.b }));
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
  const answer = await fetch(`/v1/pairs/verdict?${new URLSearchParams({ a: part.dataset.a, b: part.dataset.b })}`);
  if (!answer.ok) return;
  const verdict = await answer.json();
  revealed = true;
  const parts = [words[`kind_${verdict.kind ?? verdict.status}`] ?? verdict.kind ?? verdict.status ?? words.unsaid];
  if (verdict.probability !== null) parts.push(`p = ${verdict.probability.toFixed(2)}`);
  if (verdict.forward !== null) parts.push(`${verdict.forward} ⇄ ${verdict.backward}`);
  said.textContent = `${words.stream}: ${parts.join(" · ")}`;
});

const chooser = document.querySelector("select[name=queue]");
chooser.addEventListener("change", () => chooser.form.requestSubmit());
document.querySelector("button.plain").hidden = true;

firstPassage();
passage(1);
document.activeElement?.blur();
prefetch();
