"use strict";
// Light, dark, or as the system has it. The choice is kept where the browser lets a page keep something.
const theme = (() => {
  const names = ["auto", "light", "dark"];
  const button = document.getElementById("theme");
  const show = (name) => {
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    button.textContent = { auto: "Theme: auto", light: "Theme: light", dark: "Theme: dark" }[name];
  };
  let now = "auto";
  try {
    now = localStorage.getItem("pollux-theme") ?? "auto";
  } catch {}
  if (!names.includes(now)) now = "auto";
  show(now);
  const next = () => {
    now = names[(names.indexOf(now) + 1) % names.length];
    show(now);
    try {
      localStorage.setItem("pollux-theme", now);
    } catch {}
  };
  button.addEventListener("click", next);
  return { next };
})();
