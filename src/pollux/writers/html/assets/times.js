// Times in the reader's zone. A day is told once, by the first message of it. What may be out of sight, as it is folded,
// shown on a phone alone or shown when pointed at, does not tell the day for the others.
const times = (() => {
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
  const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  const short = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
  const place = (element) => element?.closest("details, .brief, .goes-on") ?? null;
  const localise = (root) => {
    const days = new Map(); // the last day that was told, by place
    const last = (where) => (where === null || days.has(where) ? days.get(where) : last(place(where.parentElement)));
    for (const time of root.querySelectorAll("time:not([data-told])")) {
      const at = new Date(time.dateTime);
      if (Number.isNaN(at.getTime())) continue;
      const today = day.format(at);
      const brief = today === last(place(time)) && time.closest("article, dd");
      time.textContent = (brief ? short : full).format(at);
      time.dataset.told = "";
      days.set(place(time), today);
    }
  };
  localise(document);
  return { localise };
})();
