// Ctrl+K: go to a page or a session. The sessions are those that the list finds for the same words.
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

  const places = [...document.querySelectorAll(".places a")].map((one) => ({ words: one.textContent, to: one.href, kind: "page" }));
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
    list.replaceChildren(
      ...found.map(({ words, to, kind }, n) => {
        const row = make("li", { id: `palette-${n}` }, make("span", {}, words), make("small", {}, kind));
        row.dataset.to = to;
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
    const pages = places.filter((one) => one.words.toLowerCase().includes(words.toLowerCase()));
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
      show([...pages, ...sessions]);
    } catch (error) {
      if (error.name !== "AbortError") show(pages);
    }
  };
  const go = (row) => {
    if (!row?.dataset.to) return;
    dialog.close();
    location.assign(row.dataset.to);
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
    show(places);
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
