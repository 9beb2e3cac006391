import { createServer } from 'node:http';

const { ADS_URL, PUBLISHER_CREDENTIAL, PORT = '9913' } = process.env;

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Harbour News</title>
<style>
  body { font: 1rem/1.5 system-ui; max-width: 40rem; margin: 2rem auto; padding: 0 1rem }
  .ad { border: 1px solid; border-radius: .5rem; padding: 1rem; margin: 1rem 0 }
  .ad img { max-width: 100% }
  .ad small { display: block }
</style>
<h1>Harbour News</h1>
<p>Three ships came in today.</p>
<div id="ads"></div>
<script type="module" src="/ads.js"></script>
</html>`;

const SCRIPT = `
// A view: half of an ad, for a second without a break; for two seconds of one with a video.
const timers = new Map();
const seen = new IntersectionObserver((entries) => {
  for (const { intersectionRatio, target } of entries) {
    clearTimeout(timers.get(target));
    if (intersectionRatio < 0.5) continue;
    const report = () => {
      seen.unobserve(target);
      fetch(target.dataset.impression, { mode: 'no-cors', keepalive: true });
    };
    timers.set(target, setTimeout(report, target.querySelector('video') ? 2000 : 1000));
  }
}, { threshold: 0.5 });

// Texts are texts: nothing of an ad is ever markup.
function element(name, text, attributes = {}) {
  const made = Object.assign(document.createElement(name), attributes);
  if (text) made.textContent = text;
  return made;
}

function show({ creative, impression_url, click_url }) {
  const ad = element('article', '', { className: 'ad' });
  ad.dataset.impression = impression_url;
  ad.append(element('small', 'Promoted'));
  if (creative.type === 'post') {
    ad.append(element('strong', creative.author.name), element('p', creative.text));
  }
  if (creative.type === 'account') ad.append(element('strong', creative.user.name));
  const media = creative.media ? [creative.media].flat() : [];
  for (const { type, url } of [...media, ...(creative.card?.media ?? [])]) {
    ad.append(type === 'IMAGE' ? element('img', '', { src: url, alt: '' }) : element('video', '', { src: url, controls: true }));
  }
  if (creative.card?.title) ad.append(element('p', creative.card.title));
  if (click_url) ad.append(element('a', 'Learn more', { href: click_url, rel: 'sponsored noopener' }));
  document.getElementById('ads').append(ad);
  seen.observe(ad);
}

const reply = await fetch('/ads.json');
for (const decision of await reply.json()) show(decision);
`;

async function ads(request) {
  const reply = await fetch(`${ADS_URL}/delivery/decisions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${PUBLISHER_CREDENTIAL}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      placements: [{ id: 'front page', type: 'SERVICE_TIMELINE', count: 2 }],
      // The reader: a name of your own for frequency caps, such as the number of a session.
      user: { key: request.socket.remoteAddress },
      context: { keywords: ['harbour', 'ships'] },
    }),
  });
  // A page without ads is better than no page.
  if (!reply.ok) return [];
  const { data } = await reply.json();
  return data.placements.flatMap(({ decisions }) => decisions);
}

createServer(async (request, response) => {
  const send = (type, text) => response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(text);
  if (request.url === '/') send('text/html', PAGE);
  else if (request.url === '/ads.js') send('text/javascript', SCRIPT);
  else if (request.url === '/ads.json') send('application/json', JSON.stringify(await ads(request).catch(() => [])));
  else response.writeHead(404).end();
}).listen(Number(PORT), '127.0.0.1', () => console.log(`Open http://127.0.0.1:${PORT}/`));
