// The index: grouped by project or by day, and searched through scripts that hand over the words of all sessions.
(() => {
  const main = document.getElementById("sessions");
  const sections = [...main.querySelectorAll("section")];
  const rows = [...main.querySelectorAll("li")];
  const homes = new Map(rows.map((row) => [row, row.parentElement]));
  const nothing = document.getElementById("nothing");
  const input = document.getElementById("find");
  const output = document.getElementById("found");
  const pressed = (button, on) => button.setAttribute("aria-pressed", String(on));

  // Groups.
  const group = document.getElementById("group");
  let days = [];
  const moment = (row) => row.querySelector("time")?.dateTime ?? "";
  const byDay = () => {
    const name = new Intl.DateTimeFormat(undefined, { dateStyle: "full" });
    const lists = new Map();
    for (const row of [...rows].sort((a, b) => (moment(a) < moment(b) ? 1 : -1))) {
      const day = moment(row) ? name.format(new Date(moment(row))) : "No time recorded";
      if (!lists.has(day)) {
        const section = document.createElement("section");
        section.append(Object.assign(document.createElement("h2"), { textContent: day }), document.createElement("ul"));
        lists.set(day, section);
      }
      lists.get(day).lastChild.append(row);
    }
    days = [...lists.values()];
    for (const section of sections) section.remove();
    nothing.before(...days);
  };
  const byProject = () => {
    for (const row of rows) homes.get(row).append(row);
    for (const day of days) day.remove();
    days = [];
    nothing.before(...sections);
  };
  group.addEventListener("click", () => {
    const on = document.body.classList.toggle("by-day");
    (on ? byDay : byProject)();
    group.textContent = on ? "By project" : "By day";
    settle();
  });

  // Kinds.
  const kinds = document.getElementById("kinds");
  document.body.classList.add("main-only");
  let found = null; // the numbers of the sessions that hold all words, or null where nothing is searched
  const settle = () => {
    const all = document.body.classList.contains("all-kinds");
    document.body.classList.toggle("main-only", !all && found === null);
    for (const row of rows) row.hidden = found !== null && !found.has(Number(row.dataset.n));
    const shown = (section) => [...section.querySelectorAll("li")].some((row) => !row.hidden && (all || found || !row.matches(".minor")));
    for (const section of main.querySelectorAll("section")) section.hidden = !shown(section);
    nothing.hidden = found === null || found.size > 0;
    output.textContent = found === null ? "" : `${found.size.toLocaleString()} of ${rows.length.toLocaleString()}`;
  };
  kinds.addEventListener("click", () => {
    pressed(kinds, document.body.classList.toggle("all-kinds"));
    settle();
  });

  // Words.
  const firsts = JSON.parse(document.body.dataset.words);
  const files = new Map();
  const arrivals = new Map();
  window.pollux = { words: (number, text) => arrivals.get(number)(text.split("\n")) };
  const load = (number) => {
    if (!files.has(number)) {
      const file = new Promise((resolve, reject) => {
        arrivals.set(number, resolve);
        const script = document.createElement("script");
        script.src = `search/${String(number).padStart(3, "0")}.js`;
        script.onerror = reject;
        document.head.append(script);
      });
      files.set(number, file);
    }
    return files.get(number);
  };
  const single = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u{20000}-\u{3ffff}";
  const split = new RegExp(`[${single}]|(?:(?![${single}])[\\p{L}\\p{N}])+`, "gu");
  const before = (a, b) => {
    // By code points, as the files are sorted.
    const [x, y] = [[...a], [...b]];
    for (let n = 0; n < x.length && n < y.length; n++) if (x[n] !== y[n]) return x[n].codePointAt(0) < y[n].codePointAt(0);
    return x.length < y.length;
  };
  const holders = async (word, open) => {
    const numbers = new Set();
    let number = Math.max(0, firsts.findLastIndex((first) => !before(word, first)));
    for (; number < firsts.length; number++) {
      if (before(word, firsts[number]) && !(open && firsts[number].startsWith(word))) break;
      for (const line of await load(number)) {
        const end = line.indexOf(" ");
        const known = line.slice(0, end);
        if (open ? !known.startsWith(word) : known !== word) continue;
        let at = 0;
        for (const step of line.slice(end + 1).split(" ")) numbers.add((at += parseInt(step, 36)));
      }
    }
    return numbers;
  };
  let asked = 0;
  const find = async () => {
    const turn = ++asked;
    const query = letters.fold(input.value);
    const words = query.match(split) ?? [];
    let held = words.length ? null : undefined;
    try {
      // The last word may be unfinished: it stands for all that begin with it.
      for (const [n, word] of words.entries()) {
        const numbers = await holders(word, n === words.length - 1);
        held = held ? new Set([...held].filter((number) => numbers.has(number))) : numbers;
      }
    } catch {
      output.textContent = "The search files are missing";
      return;
    }
    if (turn !== asked) return;
    found = held ?? null;
    settle();
    for (const row of rows) {
      const link = row.querySelector("a");
      link.hash = found && input.value.trim() ? `find=${encodeURIComponent(input.value.trim())}` : "";
    }
  };
  let waiting;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(find, 150);
  });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && event.target === input) {
      input.value = "";
      find();
    } else if (event.key === "/" && event.target !== input) {
      event.preventDefault();
      input.select();
    } else if (event.key === "d" && event.target !== input) theme.next();
  });
  settle();
  if (input.value) find();
})();
