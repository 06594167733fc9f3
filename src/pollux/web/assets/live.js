// What changes while it is looked at. All tabs of a browser share one stream: that of the tab which has the lock. A tab
// that is hidden has no part in it, and catches up when it is seen again.
const live = (() => {
  const listeners = [];
  const channel = "BroadcastChannel" in window ? new BroadcastChannel("pollux") : null;
  let missed = false;
  const spread = (event) => {
    if (document.hidden) missed = true;
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
        source.onmessage = ({ data }) => {
          const event = JSON.parse(data);
          spread(event);
          channel.postMessage(event);
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
  return { hear: (listener) => listeners.push(listener) };
})();
