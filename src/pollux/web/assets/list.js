// The list: search as you type, keys, and what is new while you look.
(() => {
  const input = document.getElementById("find");
  const output = document.getElementById("found");
  const form = document.getElementById("search");
  const answer = () => document.getElementById("answer");
  if (matchMedia("(max-width: 56rem)").matches) document.querySelector(".narrow")?.removeAttribute("open");

  const facet = (one) => one.closest(".facet")?.querySelector("h2").textContent ?? "";

  let asked = null;
  const fetchAnswer = async (address) => {
    asked?.abort();
    const mine = (asked = new AbortController());
    const response = await fetch(address, { signal: mine.signal });
    const text = await response.text();
    if (mine.signal.aborted) return false;
    const template = document.createElement("template");
    template.innerHTML = text;
    const fresh = template.content.querySelector("#answer");
    if (!fresh) {
      if (response.status === 403) return location.reload();
      output.textContent = template.content.querySelector("h1")?.textContent ?? "pollux does not answer";
      return false;
    }
    const focused = answer().contains(document.activeElement) ? document.activeElement : null;
    const kept = new Set([...document.querySelectorAll(".children[open]")].map((one) => one.closest(".row").dataset.key));
    const before = answer().querySelector(".facets");
    const top = before?.scrollTop;
    const opened = before?.querySelector(".narrow") && [...before.querySelectorAll("details[open]")].map(facet);
    const side = fresh.querySelector(".facets");
    if (before && !side) fresh.prepend(before); // they come when nobody types any more
    answer().replaceWith(fresh);
    if (opened && side) for (const one of side.querySelectorAll("details")) one.open = opened.includes(facet(one));
    if (before) (side ?? before).scrollTop = top;
    for (const row of fresh.querySelectorAll(".row[data-key]")) {
      const children = row.querySelector(".children");
      if (children && kept.has(row.dataset.key)) children.open = true;
    }
    if (focused?.href) [...fresh.querySelectorAll("a")].find((one) => one.href === focused.href)?.focus({ preventScroll: true });
    output.textContent = fresh.dataset.found;
    return true;
  };
  const asFragment = (address, more = {}) => {
    const url = new URL(address, location.href);
    for (const [name, value] of Object.entries({ fragment: "1", ...more })) url.searchParams.set(name, value);
    return url;
  };
  const ask = async (typing) => {
    const url = new URL("/", location.href);
    url.searchParams.set("q", input.value);
    if (new URLSearchParams(location.search).has("all")) url.searchParams.set("all", "1");
    try {
      if (await fetchAnswer(asFragment(url, typing ? { typing: "1" } : {}))) {
        history.replaceState(null, "", answer().dataset.address);
        scrollTo({ top: 0, behavior: "instant" });
      }
    } catch (error) {
      if (error.name !== "AbortError") output.textContent = "pollux does not answer";
    }
  };
  // The best matches come while one types, all of them and the facets when one pauses.
  let waiting;
  let pausing;
  const settle = () => fetchAnswer(asFragment(answer().dataset.address)).catch(() => {});
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    clearTimeout(pausing);
    waiting = setTimeout(async () => {
      await ask(true);
      pausing = setTimeout(settle, 350);
    }, 60);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    clearTimeout(pausing);
    ask(false);
  });

  // Whoever follows a link is not held back by an answer that comes meanwhile.
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("a[href]")) return;
    clearTimeout(waiting);
    clearTimeout(pausing);
    asked?.abort();
  });

  // New sessions and new messages. A large history takes longer: most of the time is left to others.
  let due = null;
  let earliest = 0;
  let missed = false;
  const renew = () => {
    missed = document.activeElement === input;
    if (due !== null || missed) return;
    due = setTimeout(async () => {
      const began = performance.now();
      await settle();
      earliest = performance.now() + Math.max(1000, 10 * (performance.now() - began));
      due = null;
    }, Math.max(0, earliest - performance.now()));
  };
  live.hear(renew);
  input.addEventListener("blur", () => setTimeout(() => missed && renew(), 1000)); // whoever clicks is done by then

  // Keys.
  const help = document.getElementById("help");
  document.getElementById("keys").addEventListener("click", () => help.showModal());
  document.getElementById("close").addEventListener("click", () => help.close());
  const move = (step) => {
    const links = [...document.querySelectorAll(".row > .what .open, .children[open] .open")];
    const now = links.indexOf(document.activeElement);
    const to = links[now < 0 ? (step > 0 ? 0 : links.length - 1) : now + step];
    to?.focus();
    to?.scrollIntoView({ block: "nearest" });
  };
  const follow = (rel) => document.querySelector(`.pages a[rel=${rel}]`)?.click();
  const actions = {
    "/": () => input.select(),
    j: () => move(1),
    k: () => move(-1),
    n: () => follow("next"),
    p: () => follow("prev"),
    d: theme.next,
    "?": () => help.showModal(),
  };
  addEventListener("keydown", (event) => {
    if (event.altKey || help.open) return;
    if (event.ctrlKey || event.metaKey || palette.dialog.open) return;
    if (event.target === input) {
      if (event.key === "Escape") {
        input.value = "";
        ask(false);
      } else if (event.key === "ArrowDown") {
        event.preventDefault();
        move(1);
      }
      return;
    }
    if (event.target.closest?.("input, textarea, select")) return;
    const action = actions[event.key] ?? { ArrowDown: actions.j, ArrowUp: actions.k }[event.key];
    if (!action || (event.key.startsWith("Arrow") && !document.activeElement.closest?.(".row"))) return;
    event.preventDefault();
    action();
  });
})();
