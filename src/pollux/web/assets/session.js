// A session that may grow while it is read, its marks, and how far it was read.
(() => {
  const { key, kind, view, part, token, read } = document.body.dataset;
  const address = (parameters) => {
    const url = new URL(location.pathname, location.href);
    if (view) url.searchParams.set("view", view);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url;
  };
  const post = (to, fields) =>
    fetch(to, { method: "POST", body: new URLSearchParams({ ...fields, token }), redirect: "manual" });

  // What is new since this session was read.
  const fresh = document.body.dataset.new;
  if (fresh) document.getElementById(fresh)?.classList.add("first-new");
  const note = () => document.hidden || post(read, {}).catch(() => {});
  setTimeout(note, 1000);

  // Marks change without losing the place.
  const tools = () => document.querySelector(".tools");
  const renew = async () => {
    const response = await fetch(address({ tools: "1" }));
    if (!response.ok) return;
    const template = document.createElement("template");
    template.innerHTML = await response.text();
    tools().replaceWith(template.content);
    showMarks();
  };
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest(".tools form");
    if (!form) return;
    event.preventDefault();
    const response = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "manual" });
    if (response.type === "opaqueredirect" || response.ok) return renew();
    const problem = new DOMParser().parseFromString(await response.text(), "text/html");
    alert(problem.querySelector(".sentence")?.textContent ?? "That was not possible.");
  });
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll(".menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  });

  // Marks of messages. The conversation is that of an exported page: what is marked in it comes from the list above.
  const starred = () => new Set([...document.querySelectorAll("[data-starred=yes]")].map((one) => one.dataset.message));
  const showMarks = () => {
    const marked = starred();
    for (const article of document.querySelectorAll("article.starred")) article.classList.remove("starred");
    for (const name of marked) document.getElementById(name)?.classList.add("starred");
  };
  const star = async (article) => {
    if (!article || !document.getElementById("star")) return;
    const value = article.classList.contains("starred") ? "no" : "yes";
    const to = document.getElementById("star").form.action;
    const response = await post(to, { message: article.id, star: value }).catch(() => null);
    if (response?.type !== "opaqueredirect") return;
    await renew();
    article.querySelector(".star-message")?.setAttribute("aria-pressed", String(value === "yes"));
  };
  const offer = (article) => {
    if (!article || !article.id || article.closest(".child") || article.querySelector(".star-message")) return;
    if (!document.getElementById("star")) return;
    const button = document.createElement("button");
    button.className = "star-message";
    button.type = "button";
    button.title = "Star this message (m)";
    button.setAttribute("aria-label", "Star this message");
    button.setAttribute("aria-pressed", String(article.classList.contains("starred")));
    button.addEventListener("click", () => star(article));
    article.querySelector("header")?.append(button);
  };
  const record = (article) => new URL(`/record?${new URLSearchParams({ key, message: article.id })}`, location.href);
  const lead = (article) => {
    if (!article?.id || article.closest(".child") || article.querySelector(".record")) return;
    const link = Object.assign(document.createElement("a"), { className: "record", href: record(article), textContent: "{ }", title: "The record in its file (r)" });
    link.setAttribute("aria-label", "The record in its file");
    article.querySelector("header")?.append(link);
  };
  showMarks();
  for (const kind of ["mouseover", "focusin"])
    document.addEventListener(kind, (event) => {
      const article = event.target.closest?.("main article");
      lead(article);
      offer(article);
    });

  // Growth.
  const main = document.querySelector("main");
  const state = document.getElementById("state");
  const folds_of = (article) => [...article.querySelectorAll("details")].map((one) => one.open);
  const grow = async () => {
    const response = await fetch(address({ since: state.dataset.version }));
    const grown = response.ok ? await response.json() : {};
    const isLost = response.ok ? grown.kind === "prompts" && kind !== "prompts" : response.status === 404;
    const left = response.ok ? "Only its prompts are left; you" : "You";
    live.say("gone", isLost && `This session is gone: its agent has deleted it. ${left} still see what it was.`);
    if (isLost || !response.ok) return;
    const { version, keep, html, prompts } = grown;
    if (version === state.dataset.version) return;
    const old = [...main.children].slice(keep);
    const opened = new Map(old.flatMap((block) => [...block.querySelectorAll("article")]).map((one) => [one.id, folds_of(one)]));
    const atEnd = innerHeight + scrollY > document.documentElement.scrollHeight - 200;
    const known = new Set([...document.querySelectorAll("main article")].map((one) => one.id));
    const template = document.createElement("template");
    template.innerHTML = html;
    times.localise(template.content);
    const added = [...template.content.children];
    for (const block of old) block.remove();
    main.append(...added);
    for (const article of added.flatMap((block) => [...block.querySelectorAll("article")])) {
      const before = opened.get(article.id);
      if (before) [...article.querySelectorAll("details")].forEach((one, n) => before[n] && (one.open = true));
      else if (!known.has(article.id) && !document.querySelector(".first-new")) article.classList.add("first-new");
    }
    document.querySelector(".index ol").innerHTML = prompts;
    state.dataset.version = version;
    showMarks();
    if (atEnd) scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
    note();
  };
  // A large session takes longer: most of the time is left to reading.
  let due = null;
  let earliest = 0;
  live.hear(({ keys }) => {
    if (due !== null || !(keys.includes(key) || keys.includes("*"))) return;
    due = setTimeout(async () => {
      const began = performance.now();
      await grow().catch(() => {});
      earliest = performance.now() + 4 * (performance.now() - began);
      due = null;
    }, Math.max(0, earliest - performance.now()));
  });

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.getElementById("help").open || palette.dialog.open) return;
    if (event.target.closest?.("input, textarea, select")) return;
    if (event.key === "v") document.querySelector(".views a:not([aria-current])").click();
    if (event.key === "s") document.getElementById("star")?.click();
    if (event.key === "m") star(document.activeElement?.closest("main article"));
    if (event.key === "r") {
      const article = document.activeElement?.closest("main article");
      if (article && !article.closest(".child")) location.assign(record(article));
    }
    if (event.key === "g") location.href = "/";
    if (event.key === "Escape") for (const menu of document.querySelectorAll(".menu[open]")) menu.open = false;
  });
})();
