// Keys for those who read without a mouse.
(() => {
  const help = document.getElementById("help");
  const ask = () => help.showModal();
  document.getElementById("keys").addEventListener("click", ask);
  document.getElementById("close").addEventListener("click", () => help.close());

  // Nothing here asks where a message is that is out of sight: to answer, the browser would have to lay it out.
  const seen = (message) => !message.closest("details:not([open])");
  const here = () => {
    const focused = document.activeElement?.closest("article");
    if (focused) return focused;
    const { left, width } = document.querySelector("main").getBoundingClientRect();
    for (let y = document.querySelector(".bar").offsetHeight + 20; y < innerHeight; y += 20) {
      const message = document.elementFromPoint(left + width / 2, y)?.closest("article");
      if (message) return message;
    }
    return undefined;
  };
  const move = (selector, step) => {
    const all = [...document.querySelectorAll(selector)].filter(seen);
    const focused = document.activeElement?.closest("article");
    const now = here();
    let to = all.indexOf(now);
    if (to >= 0) to += focused ? step : Math.min(step, 0);
    else {
      const following = all.findIndex((one) => now && now.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
      to = following < 0 ? (step > 0 ? all.length : all.length - 1) : step > 0 ? following : following - 1;
    }
    const message = all[to];
    if (!message) return;
    message.focus({ preventScroll: true });
    message.scrollIntoView({ block: "start", behavior: "instant" });
    history.replaceState(null, "", `#${encodeURIComponent(message.id)}`);
  };
  // The browser goes to where it thinks the end is, and finds out how long the page is only on the way.
  const end = (turns = 5) => {
    scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
    if (turns) requestAnimationFrame(() => end(turns - 1));
  };
  const actions = {
    j: () => move("main article", 1),
    k: () => move("main article", -1),
    J: () => move("main article:is(.human, .task)", 1),
    K: () => move("main article:is(.human, .task)", -1),
    "/": () => search.input.select(),
    n: () => search.go(1),
    N: () => search.go(-1),
    o: () => here() && folds.toggle(here()),
    e: folds.everything,
    t: folds.figures,
    d: theme.next,
    "?": ask,
    End: () => end(),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (event.target.closest?.("input, textarea, select")) return;
    if (event.key === "End" && event.target.closest?.("pre, .wide")) return; // their own end is meant
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
})();
