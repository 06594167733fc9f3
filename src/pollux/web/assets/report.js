// Keys of the pages beside the sessions.
(() => {
  const input = document.getElementById("find");
  const help = document.getElementById("help");
  document.getElementById("keys").addEventListener("click", () => help.showModal());
  document.getElementById("close").addEventListener("click", () => help.close());
  const actions = {
    "/": () => input.select(),
    n: () => document.querySelector(".pages a[rel=next]")?.click(),
    p: () => document.querySelector(".pages a[rel=prev]")?.click(),
    g: () => location.assign("/"),
    d: theme.next,
    "?": () => help.showModal(),
  };
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || help.open || palette.dialog.open) return;
    if (event.target.closest?.("input, textarea, select")) return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
})();
