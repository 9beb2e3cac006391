// Reports what visitors of this website do to the service whose ads brought them here. The page includes it as
//   <script async src=".../measurement/tag.js" data-website-tag-id="..." data-event-id="..."></script>
// and may call eventTag('event', EVENT_ID, { value, price_currency, number_items, conversion_id }) at any time. It sets
// no cookie; the click id of an ad is kept in the storage of this website, where the website can see and remove it.
(() => {
  const NAME = 'eventTag';
  const KEY = 'event_tag.click';
  const KEPT_MS = 90 * 86_400_000;
  const OPTIONS = ['conversion_id', 'value', 'price_currency', 'number_items'];
  const script = document.currentScript;
  const endpoint = new URL('events', script.src).href;
  const { websiteTagId, eventId } = script.dataset;

  /** The click id of this visit, or of one in the last 90 days; undefined when no ad led here. */
  const clickId = () => {
    const found = new URLSearchParams(location.search).get('click_id');
    // Storage may be forbidden or full: then only the page on which the visitor arrived knows the click.
    try {
      if (found) localStorage.setItem(KEY, JSON.stringify({ id: found, at_ms: Date.now() }));
      const kept = JSON.parse(localStorage.getItem(KEY) ?? 'null');
      if (kept && Date.now() - kept.at_ms <= KEPT_MS) return kept.id;
      localStorage.removeItem(KEY);
    } catch {}
    return found ?? undefined;
  };

  const click_id = clickId();

  const send = (event_id, options = {}) => {
    // An id, so that what is sent twice counts once.
    const conversion_id = crypto.randomUUID?.() ?? `${Date.now()}.${Math.random()}`;
    const event = { website_tag_id: websiteTagId, event_id, click_id, conversion_id };
    for (const name of OPTIONS) if (options[name] !== undefined) event[name] = options[name];
    if (typeof event.conversion_id === 'number') event.conversion_id = String(event.conversion_id);
    // Text, so that browsers ask for no permission before they send it, and while the page is left.
    const body = JSON.stringify(event);
    if (navigator.sendBeacon?.(endpoint, body)) return;
    fetch(endpoint, { method: 'POST', body, keepalive: true, credentials: 'omit', mode: 'no-cors' }).catch(() => {});
  };

  const perform = (command, ...rest) => {
    if (command === 'event') send(...rest);
  };

  // Calls that were made before this script was loaded.
  const waiting = window[NAME]?.queue ?? [];
  // Included several times, for several events, the page has one function.
  if (!window[NAME]?.isLoaded) {
    window[NAME] = perform;
    window[NAME].isLoaded = true;
    for (const call of waiting) perform(...call);
  }
  if (eventId) send(eventId);
})();
