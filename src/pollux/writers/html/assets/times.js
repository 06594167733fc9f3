// Times in the reader's zone. A day is told once, by the first message of it.
const times = (() => {
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
  const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  const short = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
  const localise = (root) => {
    let before = null;
    for (const time of root.querySelectorAll("time:not([data-told])")) {
      const at = new Date(time.dateTime);
      if (Number.isNaN(at.getTime())) continue;
      const today = day.format(at);
      const brief = today === before && time.closest("article, dd");
      time.textContent = (brief ? short : full).format(at);
      time.dataset.told = "";
      before = today;
    }
  };
  localise(document);
  return { localise };
})();
