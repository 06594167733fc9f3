// What is long waits in templates. It becomes part of the page when it is opened.
const folds = (() => {
  const fill = (details) => {
    const template = details.querySelector(":scope > .folded > template");
    if (!template) return false;
    times.localise(template.content);
    template.replaceWith(template.content);
    return true;
  };
  const reveal = (node) => {
    const inner = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
    for (let details = inner.closest("details"); details; details = details.parentElement.closest("details")) {
      fill(details);
      details.open = true;
    }
  };
  document.addEventListener("toggle", (event) => event.target.open && fill(event.target), true);

  const openAll = (root) => {
    for (const details of root.querySelectorAll("details:not(.index)")) {
      details.open = true;
      if (fill(details)) openAll(details); // there may be more in what has just come
    }
  };
  const toggle = (root) => {
    const open = root.querySelector("details:not([open], .index)") !== null;
    if (open) openAll(root);
    else for (const details of root.querySelectorAll("details:not(.index)")) details.open = false;
    return open;
  };
  const button = document.getElementById("fold-all");
  const everything = () => {
    const open = toggle(document.querySelector("main"));
    button.textContent = open ? "Fold" : "Unfold";
    button.setAttribute("aria-pressed", String(open));
  };
  button.addEventListener("click", everything);

  const details = document.getElementById("details");
  const figures = () => {
    const shown = document.body.classList.toggle("with-details");
    details.setAttribute("aria-pressed", String(shown));
  };
  details.addEventListener("click", figures);

  // A link to a message leads there even if it stands in something folded, or still waits in a template within a template.
  const holds = (root, id) =>
    root.getElementById(id) !== null || [...root.querySelectorAll("template")].some((inner) => holds(inner.content, id));
  const wake = (id) => {
    while (!document.getElementById(id)) {
      const template = [...document.querySelectorAll("template")].find((one) => holds(one.content, id));
      if (!template) return null;
      fill(template.closest("details"));
    }
    return document.getElementById(id);
  };
  // What is not in this part of a session may be in the next.
  const onward = () => {
    const next = document.querySelector(".parts .next");
    if (next) location.replace(next.href + location.hash);
    return next !== null;
  };
  const follow = () => {
    if (!location.hash.startsWith("#m-")) return;
    const target = wake(decodeURIComponent(location.hash.slice(1)));
    if (!target) return onward();
    reveal(target);
    if (!target.matches(":target")) location.replace(location.hash); // it was not there when the browser looked for it
    target.scrollIntoView({ behavior: "instant" });
  };
  addEventListener("hashchange", follow);
  addEventListener("load", follow);
  if (matchMedia("(max-width: 56rem)").matches) for (const index of document.querySelectorAll(".index")) index.open = false;

  // The index shows which prompt is being read, and keeps it in sight.
  document.querySelector(".early:has(~ .side)")?.remove();
  const side = document.querySelector(".side");
  const links = new Map([...side.querySelectorAll("a")].map((a) => [decodeURIComponent(a.hash.slice(1)), a]));
  const passed = new Set();
  let current = null;
  const spy = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) passed[isIntersecting ? "add" : "delete"](target.id);
      current?.removeAttribute("aria-current");
      current = links.get([...links.keys()].findLast((id) => passed.has(id)));
      if (!current) return;
      current.setAttribute("aria-current", "location");
      const [link, around] = [current.getBoundingClientRect(), side.getBoundingClientRect()];
      if (link.top < around.top || link.bottom > around.bottom) side.scrollTop += link.top - around.top - around.height / 2;
    },
    { rootMargin: "10000000px 0px -85% 0px" }, // all that is above the upper end of the window
  );
  for (const id of links.keys()) {
    const prompt = document.getElementById(id);
    if (prompt) spy.observe(prompt);
  }
  return { reveal, fill, toggle, everything, figures, onward };
})();
