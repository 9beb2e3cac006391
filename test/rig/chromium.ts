import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAM = '/usr/bin/chromium';

/** What the browser tells by itself, as the DevTools protocol names it. */
export interface Told {
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: messages of the protocol have every shape
  readonly params: any;
}

/** A tab of a real browser. */
export interface Tab {
  /** Goes to an address and waits until the page is loaded. */
  open(url: string): Promise<void>;
  /** The value of an expression in the page, as JSON; of a promise, what it comes to. */
  // biome-ignore lint/suspicious/noExplicitAny: as the page gives it
  look(expression: string): Promise<any>;
  /** Does what leads to another page, and waits until that is loaded. */
  leave(expression: string): Promise<void>;
  /** Types a text where the caret is. */
  type(text: string): Promise<void>;
  /** Presses and releases a key: Tab, Enter or Space. */
  press(key: 'Tab' | 'Enter' | 'Escape' | 'Space'): Promise<void>;
  /** Resolves with what the browser tells, of the past or to come, that fits. */
  told(isMeant: (told: Told) => boolean): Promise<Told>;
  /** Everything told so far. */
  readonly log: readonly Told[];
  /** Forgets what was told, before something is done that tells anew. */
  forget(): void;
  /** Answers requests for addresses that begin like this in place of the network. */
  answerFor(start: string, html: string): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: answers of the protocol have every shape
  send(method: string, params?: object): Promise<any>;
  close(): Promise<void>;
}

/** A headless browser with a profile of its own. */
export interface Chromium {
  tab(): Promise<Tab>;
  close(): Promise<void>;
}

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--remote-debugging-port=0',
  'about:blank',
];

/** Starts the browser that Debian packages. */
export async function startChromium(): Promise<Chromium> {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing: apt-get install chromium`);
  const profile = mkdtempSync(join(tmpdir(), 'barker-chromium-'));
  const child = spawn(PROGRAM, [`--user-data-dir=${profile}`, ...FLAGS], { stdio: ['ignore', 'ignore', 'pipe'] });
  const socket = new WebSocket(await addressOf(child));
  await new Promise((done, failed) => {
    socket.onopen = done;
    socket.onerror = failed;
  });
  const wire = wireOn(socket);
  return {
    async tab() {
      const { browserContextId } = await wire.send('Target.createBrowserContext');
      const { targetId } = await wire.send('Target.createTarget', { url: 'about:blank', browserContextId });
      const { sessionId } = await wire.send('Target.attachToTarget', { targetId, flatten: true });
      const tab = tabOf(wire, sessionId, async () => {
        await wire.send('Target.disposeBrowserContext', { browserContextId });
      });
      for (const domain of ['Page', 'Network', 'Runtime', 'Log']) await tab.send(`${domain}.enable`);
      return tab;
    },
    async close() {
      const ended = new Promise((done) => child.once('exit', done));
      socket.close();
      child.kill('SIGTERM');
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr!.on('data', (chunk) => {
      said += chunk;
      const found = /DevTools listening on (ws:\S+)/.exec(said);
      if (found) resolve(found[1]!);
    });
    child.once('exit', () => reject(new Error(`the browser ended:\n${said}`)));
  });
}

interface Wire {
  // biome-ignore lint/suspicious/noExplicitAny: answers of the protocol have every shape
  send(method: string, params?: object, sessionId?: string): Promise<any>;
  listen(sessionId: string, take: (told: Told) => void): void;
}

function wireOn(socket: WebSocket): Wire {
  const waiting = new Map<number, { done(result: unknown): void; failed(error: Error): void }>();
  const listeners = new Map<string, (told: Told) => void>();
  let count = 0;
  socket.onmessage = ({ data }) => {
    const { id, result, error, sessionId, method, params } = JSON.parse(String(data));
    if (id === undefined) return listeners.get(sessionId)?.({ method, params });
    const { done, failed } = waiting.get(id)!;
    waiting.delete(id);
    if (error) failed(new Error(error.message));
    else done(result);
  };
  return {
    send: (method, params = {}, sessionId) =>
      new Promise((done, failed) => {
        count += 1;
        waiting.set(count, { done, failed });
        socket.send(JSON.stringify({ id: count, method, params, sessionId }));
      }),
    listen: (sessionId, take) => void listeners.set(sessionId, take),
  };
}

const KEYS = {
  Tab: { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 },
  Escape: { key: 'Escape', code: 'Escape', windowsVirtualKeyCode: 27 },
  Enter: { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' },
  Space: { key: ' ', code: 'Space', windowsVirtualKeyCode: 32, text: ' ' },
};

function tabOf(wire: Wire, session: string, close: () => Promise<void>): Tab {
  const log: Told[] = [];
  const looks = new Set<() => void>();
  const answers: { start: string; html: string }[] = [];
  const send: Tab['send'] = (method, params) => wire.send(method, params, session);
  const answerPaused = ({ requestId, request }: { requestId: string; request: { url: string } }) => {
    const found = answers.find(({ start }) => request.url.startsWith(start));
    if (!found) return send('Fetch.continueRequest', { requestId });
    const responseHeaders = [{ name: 'content-type', value: 'text/html' }];
    const body = Buffer.from(found.html).toString('base64');
    return send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders, body });
  };
  wire.listen(session, (told) => {
    log.push(told);
    // A request may outlive its tab; nobody waits for its answer then.
    if (told.method === 'Fetch.requestPaused') answerPaused(told.params).catch(() => undefined);
    for (const look of looks) look();
  });
  const told: Tab['told'] = (isMeant) =>
    new Promise((done) => {
      const look = (): void => {
        const found = log.find(isMeant);
        if (!found) return;
        looks.delete(look);
        done(found);
      };
      looks.add(look);
      look();
    });
  const tab: Tab = {
    log,
    send,
    told,
    close,
    forget() {
      log.length = 0;
    },
    async open(url) {
      log.length = 0;
      await send('Page.navigate', { url });
      await told(({ method }) => method === 'Page.loadEventFired');
    },
    async look(expression) {
      const { result, exceptionDetails } = await send('Runtime.evaluate', {
        expression,
        returnByValue: true,
        awaitPromise: true,
      });
      if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.text}`);
      return result.value;
    },
    async leave(expression) {
      log.length = 0;
      await tab.look(expression);
      await told(({ method }) => method === 'Page.loadEventFired');
    },
    async type(text) {
      await send('Input.insertText', { text });
    },
    async press(key) {
      await send('Input.dispatchKeyEvent', { type: 'keyDown', ...KEYS[key] });
      await send('Input.dispatchKeyEvent', { type: 'keyUp', ...KEYS[key] });
    },
    async answerFor(start, html) {
      answers.push({ start, html });
      await send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
    },
  };
  return tab;
}
