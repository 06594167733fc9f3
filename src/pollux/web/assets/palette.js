// Ctrl+K: go to a page or a session, or do what a button of this page does. The sessions are those that the list finds
// for the same words; a whole key, such as codex:ID, leads to its session.
const palette = (() => {
  const make = (name, fields = {}, ...inner) => {
    const element = Object.assign(document.createElement(name), fields);
    element.append(...inner);
    return element;
  };
  const input = make("input", { type: "text", id: "palette-input", placeholder: "Go to a page or a session", autocomplete: "off", spellcheck: false });
  const list = make("ul", { id: "palette-list" });
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Pages and sessions");
  for (const [name, value] of Object.entries({ role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list", "aria-label": "Go to a page or a session" }))
    input.setAttribute(name, value);
  const dialog = make("dialog", { id: "palette" }, input, list);
  dialog.setAttribute("aria-label", "Go to");
  document.body.append(dialog);

  document.querySelector(".places [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center", behavior: "instant" });
  const places = [...document.querySelectorAll(".places a")].map((one) => ({ words: one.textContent, to: one.href, kind: "page" }));
  const KEY = /^[a-z]+:[0-9A-Za-z][\w.-]{7,}$/;
  const commands = () =>
    [...document.querySelectorAll("#theme, #keys, #star, #details, #fold-all, .views a:not([aria-current]), .news button")].map((one) => ({
      words: one.id === "theme" ? "Light, dark, or as the system" : one.id === "keys" ? "Keys" : one.id === "star" ? one.title : one.textContent,
      act: () => one.click(),
      kind: "command",
    }));
  const matching = (words) => {
    const found = [...places, ...commands()].filter((one) => one.words.toLowerCase().includes(words.toLowerCase()));
    return KEY.test(words) ? [{ words, to: `/s/${encodeURIComponent(words)}`, kind: "session" }, ...found] : found;
  };
  let shown = [];
  let chosen = 0;
  const choose = (place) => {
    const rows = [...list.children];
    if (!rows.length) return;
    chosen = (place + rows.length) % rows.length;
    rows.forEach((row, n) => row.setAttribute("aria-selected", String(n === chosen)));
    input.setAttribute("aria-activedescendant", rows[chosen].id);
    rows[chosen].scrollIntoView({ block: "nearest" });
  };
  const show = (found) => {
    shown = found;
    list.replaceChildren(
      ...found.map(({ words, kind }, n) => {
        const row = make("li", { id: `palette-${n}` }, make("span", {}, words), make("small", {}, kind));
        row.setAttribute("role", "option");
        return row;
      }),
    );
    if (!found.length) {
      const none = make("li", { className: "none", id: "palette-0" }, "Nothing matches.");
      none.setAttribute("role", "option");
      list.append(none);
    }
    choose(0);
  };
  let asked = null;
  const ask = async () => {
    const words = input.value.trim();
    const known = matching(words);
    asked?.abort();
    const mine = (asked = new AbortController());
    const address = new URL("/", location.href);
    for (const [name, value] of Object.entries({ q: words, fragment: "1", typing: "1" })) address.searchParams.set(name, value);
    try {
      const response = await fetch(address, { signal: mine.signal });
      const template = document.createElement("template");
      template.innerHTML = await response.text();
      if (mine.signal.aborted) return;
      const sessions = [...template.content.querySelectorAll(".row[data-key]")].slice(0, 12).map((row) => ({
        words: row.querySelector(".open").textContent,
        to: row.querySelector(".open").getAttribute("href"),
        kind: [row.querySelector(".agent")?.textContent.trim(), row.querySelector(".project")?.textContent.trim()].filter(Boolean).join(" · "),
      }));
      show([...known, ...sessions]);
    } catch (error) {
      if (error.name !== "AbortError") show(known);
    }
  };
  const go = (row) => {
    const one = shown[[...list.children].indexOf(row)];
    if (!one) return;
    dialog.close();
    if (one.act) one.act();
    else location.assign(one.to);
  };
  let waiting;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, 60);
  });
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      choose(chosen + step);
    } else if (event.key === "Enter") {
      event.preventDefault();
      go(list.children[chosen]);
    }
  });
  list.addEventListener("click", (event) => go(event.target.closest("li")));
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  const open = () => {
    input.value = "";
    show(matching(""));
    dialog.showModal();
    input.focus();
    ask();
  };
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key !== "k") return;
    event.preventDefault();
    if (dialog.open) dialog.close();
    else if (!document.querySelector("dialog[open]")) open();
  });
  return { dialog };
})();
