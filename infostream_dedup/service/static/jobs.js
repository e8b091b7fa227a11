import { on } from "./keys.js";

// Follow the job at hand; the page is asked for again once it has ended.
const job = document.getElementById("job");
async function watch() {
  const answer = await fetch(`/v1/jobs/${job.dataset.number}`).catch(() => null);
  // The session has ended: the page leads to the entrance.
  if (answer?.status === 401) { location.reload(); return; }
  if (answer?.ok) {
    const found = await answer.json();
    if (!["waiting", "running"].includes(found.state)) { location.assign(location.pathname); return; }
    const bar = job.querySelector("progress");
    if (found.total) { bar.max = found.total; bar.value = found.done; } else bar.removeAttribute("value");
    document.getElementById("step").textContent = found.step;
  }
  setTimeout(watch, 1000);
}
if (job?.dataset.number && ["waiting", "running"].includes(job.dataset.state)) watch();
on("begin", () => document.getElementById("begin")?.click());
on("download", () => document.querySelector("a.download")?.click());

// The page of thresholds: choose a k.
const table = document.getElementById("ks");
const chooser = document.querySelector("#choose-k select");
document.querySelector("#choose-k .plain")?.setAttribute("hidden", "");
chooser?.addEventListener("change", () => chooser.form.requestSubmit());

function go(k) {
  const known = [...chooser.options].map((one) => one.value);
  if (known.includes(String(k)) && chooser.value !== String(k)) location.assign(`/explore?k=${k}`);
}
if (table) {
  on("lessK", () => go(Number(chooser.value) - 1));
  on("moreK", () => go(Number(chooser.value) + 1));
  on("recommendedK", () => go(table.dataset.recommended));
}
