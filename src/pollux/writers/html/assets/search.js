// Search through all that is in the page, whether it is open, folded or still in a template.
const search = (() => {
  const input = document.getElementById("find");
  const output = document.getElementById("found");
  const texts = new WeakMap();
  let matches = []; // [message, which of its occurrences]
  let at = -1;
  let pattern = null;

  // The text nodes of an element in reading order, each with the outermost template it still stands in.
  function* nodes(root, template = null) {
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const node = walk.currentNode;
      if (node.nodeType === Node.TEXT_NODE) {
        // A time reads differently once it is shown in the reader's zone.
        if (node.parentNode.localName !== "time") yield [node, template];
      } else if (node.localName === "template") yield* nodes(node.content, template ?? node);
    }
  }
  const text = (message) => {
    let known = texts.get(message);
    if (known === undefined) {
      let whole = "";
      for (const [node] of nodes(message)) whole += node.data;
      texts.set(message, (known = letters.read(whole)));
    }
    return known;
  };
  const range = (message, start, end) => {
    for (let again = true; again; ) {
      again = false;
      const made = document.createRange();
      let position = 0;
      for (const [node, template] of nodes(message)) {
        const after = position + node.data.length;
        if (after > start && template) {
          folds.fill(template.closest("details"));
          again = true;
          break;
        }
        if (position <= start && start < after) made.setStart(node, start - position);
        if (position < end && end <= after) {
          made.setEnd(node, end - position);
          return made;
        }
        position = after;
      }
    }
    return null;
  };
  const places = (message) => {
    const { folded, place } = text(message);
    const found = Array.from(folded.matchAll(pattern), ({ index, 0: words }) => place(index, index + words.length));
    // One letter may be two when it is folded, and hold what is looked for twice.
    return found.filter(([start], n) => !n || start >= found[n - 1][1]);
  };

  const show = () => {
    output.textContent = matches.length ? `${at + 1} of ${matches.length.toLocaleString()}` : pattern ? "Nothing found" : "";
    if (!window.CSS?.highlights) return;
    CSS.highlights.clear();
    if (!matches.length) return;
    const [message, which] = matches[at];
    const here = places(message).slice(0, 2000);
    const ranges = here.map(([start, end]) => range(message, start, end)).filter(Boolean);
    CSS.highlights.set("found", new Highlight(...ranges));
    if (ranges[which]) CSS.highlights.set("found-now", new Highlight(ranges[which]));
  };
  // To the middle of the window, and of the block it stands in, which may be longer and wider than the window. What comes
  // into sight is laid out in the next frame, and may then be higher than was thought: so this is done again.
  const bring = (found, turns = 3) => {
    const block = found.startContainer.parentElement.closest("pre, .wide");
    const behavior = "instant";
    if (block) {
      const [word, around] = [found.getClientRects()[0], block.getBoundingClientRect()];
      const aside = word.left < around.left || word.right > around.right;
      const left = aside ? word.left - around.left - around.width / 3 : 0;
      block.scrollBy({ top: word.top - around.top - around.height / 2, left, behavior });
    }
    scrollBy({ top: found.getClientRects()[0].top - innerHeight / 2, behavior });
    if (turns) requestAnimationFrame(() => bring(found, turns - 1));
  };
  const go = (step) => {
    if (!matches.length) return;
    at = (at + step + matches.length) % matches.length;
    const [message, which] = matches[at];
    const found = range(message, ...places(message)[which]);
    folds.reveal(found ? found.startContainer : message);
    show();
    if (found?.getClientRects().length) bring(found);
    else message.scrollIntoView({ block: "center", behavior: "instant" });
  };
  const find = (words) => {
    const wanted = letters.fold(words).trim();
    pattern = wanted ? new RegExp(wanted.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+"), "gu") : null;
    matches = [];
    at = -1;
    if (pattern) {
      for (const message of document.querySelectorAll("article:not(article article)")) {
        const count = places(message).length;
        for (let which = 0; which < count; which++) matches.push([message, which]);
      }
    }
    if (matches.length) go(1);
    else show();
    return matches.length > 0;
  };
  let waiting;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(find, 200, input.value);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      if (pattern && !matches.length) {
        history.replaceState(null, "", `#find=${encodeURIComponent(input.value.trim())}`);
        folds.onward();
      }
      go(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      input.value = "";
      find("");
      input.blur();
    }
  });
  // A page that is opened from a search goes on with its words: all in a row, or else the longest that it holds.
  const wanted = new URLSearchParams(location.hash.slice(1)).get("find");
  if (wanted) {
    const singly = wanted.split(/\s+/).sort((a, b) => b.length - a.length);
    addEventListener("load", () => {
      const held = [wanted, ...singly].find(find);
      input.value = held ?? wanted;
      if (held === undefined) folds.onward();
    });
  }
  return { input, go };
})();
