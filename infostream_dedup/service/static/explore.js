import "./jobs.js";
import { on } from "./keys.js";

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
