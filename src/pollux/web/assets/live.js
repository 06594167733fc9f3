// What changes while it is looked at. All tabs of a browser share one stream: that of the tab which has the lock. A tab
// that is hidden has no part in it, and catches up when it is seen again.
const live = (() => {
  const listeners = [];
  const channel = "BroadcastChannel" in window ? new BroadcastChannel("pollux") : null;
  let missed = false;
  // What a person must know of this page, at its foot, until it is no longer so.
  const say = (name, words) => {
    const before = document.getElementById(name);
    if (!words) return before?.remove();
    if (before) return;
    const note = Object.assign(document.createElement("p"), { id: name, className: "notice said", textContent: words });
    note.setAttribute("role", "status");
    document.body.append(note);
  };
  const spread = (event) => {
    if ("away" in event) say("away", event.away && "pollux does not answer. Start pollux web again: what you see may be old.");
    else if (document.hidden) missed = true;
    else for (const listener of listeners) listener(event);
  };
  if (channel) channel.onmessage = ({ data }) => spread(data);

  let leave = () => {};
  const enter = () => {
    if (!navigator.locks || !channel) return;
    const waiting = new AbortController();
    let release = () => {};
    leave = () => {
      waiting.abort();
      release();
    };
    const lead = () =>
      new Promise((resolve) => {
        const source = new EventSource("/events");
        const pass = (event) => {
          spread(event);
          channel.postMessage(event);
        };
        source.onmessage = ({ data }) => pass(JSON.parse(data));
        source.onerror = () => pass({ away: true });
        source.onopen = () => {
          if (!document.getElementById("away")) return;
          pass({ away: false });
          pass({ keys: ["*"] }); // what changed meanwhile
        };
        release = () => {
          source.close();
          resolve();
        };
      });
    navigator.locks.request("pollux-live", { signal: waiting.signal }, lead).catch(() => {});
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return leave();
    enter();
    if (missed || listeners.length) spread({ keys: ["*"] });
    missed = false;
  });
  addEventListener("pagehide", () => leave());
  addEventListener("pageshow", (event) => event.persisted && !document.hidden && enter());
  if (!document.hidden) enter();
  return { hear: (listener) => listeners.push(listener), say };
})();
