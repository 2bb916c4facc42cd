"use strict";
// Shows what the desk sends: whole parts by their key, in order; counts clocks on between two of them, never past a silence.
const page = document.getElementById("parts"), line = document.getElementById("link");
const SILENT_MS = 15000, parts = new Map();
let offset = Number(document.body.dataset.now || 0) - performance.now(), last = 0, wanted = "";

function text(ms) {
  const s = Math.max(0, Math.ceil(ms / 1000)), h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
  const two = n => String(n).padStart(2, "0");
  return h ? `${h}:${two(m)}:${two(s % 60)}` : `${m}:${two(s % 60)}`;
}

function tick() {
  const now = performance.now(), desk = now + offset;
  const isGone = last && now - last > SILENT_MS;
  if (line) {
    const said = document.body.dataset;
    line.textContent = isGone ? said.gone.replace("{time}", text(now - last)) : last ? said.live : "";
    line.className = isGone ? "gone" : "";
  }
  document.body.classList.toggle("stale", Boolean(isGone));
  for (const one of document.querySelectorAll("[data-zero]")) {
    if (!isGone) {
      const heard = one.closest(".tile")?.querySelector(".age")?.dataset.heard;
      const until = heard && desk - heard >= SILENT_MS ? Number(heard) : desk;
      const left = Number(one.dataset.zero) - until;
      const shown = left < 0 && one.dataset.over ? one.dataset.over : text(left);
      if (one.textContent !== shown) one.textContent = shown;
    }
  }
  for (const one of document.querySelectorAll("[data-heard]")) {
    const age = desk - Number(one.dataset.heard);
    const isSilent = age >= SILENT_MS;
    one.closest(".tile")?.classList.toggle("silent", isSilent);
    one.querySelector("b").textContent = text(age);
  }
}

function filter() {
  for (const one of document.querySelectorAll(".tile")) one.classList.toggle("hidden", Boolean(wanted) && !one.classList.contains(wanted));
  for (const one of document.querySelectorAll("#sum button")) one.setAttribute("aria-pressed", String(one.dataset.need === wanted));
}

function take(told) {
  offset = told.now - performance.now();
  last = performance.now();
  if (told.order) {
    for (const [key, html] of Object.entries(told.parts)) {
      const box = document.createElement("template");
      box.innerHTML = html;
      const fresh = box.content.firstElementChild, old = parts.get(key);
      if (old) old.replaceWith(fresh);
      parts.set(key, fresh);
    }
    for (const [key, old] of parts) if (!told.order.includes(key)) { old.remove(); parts.delete(key); }
    const grid = page.querySelector(".wall") || page;
    let at = null;
    for (const key of told.order) {
      const one = parts.get(key), home = one.classList.contains("tile") ? grid : page;
      if (home === page) { if (one.parentNode !== page) page.prepend(one); continue; }
      const next = at ? at.nextSibling : home.firstChild;
      if (next !== one) home.insertBefore(one, next);
      at = one;
    }
    filter();
  }
  for (const [key, heard] of Object.entries(told.heard || {})) {
    const age = document.querySelector(`#${key} .age`);
    if (age) age.dataset.heard = heard;
  }
  tick();
}

if (page && page.dataset.live) {
  for (const one of page.querySelectorAll("[data-part]")) parts.set(one.dataset.part, one);
  const stream = new EventSource(page.dataset.live);
  stream.addEventListener("told", event => take(JSON.parse(event.data)));
}
document.addEventListener("click", event => {
  const key = event.target.closest("#sum button");
  if (key) { wanted = wanted === key.dataset.need ? "" : key.dataset.need; filter(); }
});
document.addEventListener("keydown", event => {
  if (event.key === "Escape") { wanted = ""; filter(); }
  if (/^[0-9]$/.test(event.key) && !event.target.closest("input, select") && page && page.querySelector(".wall")) {
    const tables = [...document.querySelectorAll(".tile")];
    const typed = (window.typed || "") + event.key;
    window.typed = typed;
    clearTimeout(window.typing);
    window.typing = setTimeout(() => { window.typed = ""; }, 1500);
    tables.find(one => one.dataset.table === typed)?.focus();
  }
});
for (const form of document.querySelectorAll("form[data-sure]"))
  form.addEventListener("submit", event => { if (!confirm(form.dataset.sure)) event.preventDefault(); });
setInterval(tick, 250);
let slide = 0;
setInterval(() => {
  const slides = [...document.querySelectorAll(".slide")];
  if (!slides.length) return;
  slide = (slide + 1) % slides.length;
  slides.forEach((one, at) => one.classList.toggle("on", at === slide));
}, 12000);
