import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { cleanEnvironment, ENTRY } from '../commands/program.ts';
import { freePorts } from '../rig/ports.ts';

// No machine of ours has a container engine. This one has the part of its API that Testcontainers uses, and runs the program
// of this checkout for the image of the server: https://docs.docker.com/reference/api/engine/.

interface Container {
  readonly command: readonly string[];
  readonly folder: string;
  /** Ports of this machine by those of the container. */
  readonly ports: ReadonlyMap<number, number>;
  child: ChildProcess | undefined;
  readonly output: Buffer[];
}

/** A container engine that listens on a socket in a folder. */
export async function openContainerEngine(folder: string) {
  const containers = new Map<string, Container>();
  const executions = new Map<string, { container: Container; command: readonly string[]; code: number | null }>();
  const requests: string[] = [];

  /** A part of the output of a container, as the engine frames it. */
  const framed = (bytes: Buffer): Buffer => {
    const head = Buffer.alloc(8);
    head[0] = 1;
    head.writeUInt32BE(bytes.length, 4);
    return Buffer.concat([head, bytes]);
  };

  function startContainer(container: Container): void {
    const [production, sandbox] = [container.ports.get(8080)!, container.ports.get(8081)!];
    const args = [...container.command, '--data', container.folder, '--port', production, '--sandbox-port', sandbox];
    const child = spawn(process.execPath, [ENTRY, ...args.map(String), '--people', '0'], {
      env: { ...cleanEnvironment(), BARKER_HOST: '0.0.0.0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    container.child = child;
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => container.output.push(bytes));
  }

  function inspected(id: string, { ports, child }: Container) {
    const running = child !== undefined && child.exitCode === null;
    const bindings = Object.fromEntries(
      [...ports].map(([inside, outside]) => [`${inside}/tcp`, [{ HostIp: '0.0.0.0', HostPort: String(outside) }]]),
    );
    return {
      ...{ Id: id, Name: `/${id}`, Image: 'barker', Config: { Hostname: id, Labels: {} } },
      State: { Status: running ? 'running' : 'exited', Running: running, StartedAt: '2026-01-01T00:00:00Z' },
      NetworkSettings: { Ports: bindings, Networks: {} },
    };
  }

  const json200 = (body: unknown, status = 200) => ({ status, body });

  async function answer(method: string, path: string, request: IncomingMessage) {
    const [, kind, id = '', action = ''] = path.split('/');
    requests.push(`${method} ${path}`);
    if (path === '/_ping') return { status: 200, body: 'OK' };
    if (path === '/info')
      return json200({ ServerVersion: '28.0.0', OperatingSystem: 'test', OSType: 'linux', Architecture: 'x86_64' });
    if (path === '/version') return json200({ Version: '28.0.0', ApiVersion: '1.47' });
    if (kind === 'images') return json200({ Id: 'sha256:barker', RepoTags: ['barker:0.1.0'], Config: { Labels: {} } });
    if (path === '/containers/json') return json200([]);
    if (path === '/containers/create') {
      const { Cmd, ExposedPorts } = (await json(request)) as { Cmd: string[]; ExposedPorts: Record<string, unknown> };
      const inside = Object.keys(ExposedPorts).map((port) => Number.parseInt(port, 10));
      const outside = await freePorts(inside.length);
      const name = randomBytes(32).toString('hex');
      const ports = new Map(inside.map((port, at) => [port, outside[at]!]));
      containers.set(name, {
        command: Cmd,
        folder: join(folder, name.slice(0, 8)),
        ports,
        child: undefined,
        output: [],
      });
      return json200({ Id: name, Warnings: [] }, 201);
    }
    const container = containers.get(id);
    if (kind === 'containers' && container) {
      if (action === 'start') startContainer(container);
      if (action === 'json') return json200(inspected(id, container));
      if (action === 'exec') {
        const { Cmd } = (await json(request)) as { Cmd: string[] };
        const execution = randomBytes(16).toString('hex');
        executions.set(execution, { container, command: Cmd, code: null });
        return json200({ Id: execution }, 201);
      }
      if (action === 'stop' || action === 'kill' || method === 'DELETE') {
        const { child } = container;
        if (child?.exitCode === null && child.signalCode === null) {
          child.kill();
          await once(child, 'exit');
        }
      }
      return { status: 204, body: '' };
    }
    if (kind === 'exec' && action === 'json') {
      return json200({ ID: id, Running: false, ExitCode: executions.get(id)!.code });
    }
    return json200({ message: `no ${method} ${path}` }, 404);
  }

  /** Runs a command that reads files of the container. */
  function execute(id: string, socket: Writable): void {
    const execution = executions.get(id)!;
    const [program, ...args] = execution.command.map((word) =>
      word.replace('/var/lib/barker', execution.container.folder),
    );
    const { stdout, status } = spawnSync(program!, args);
    execution.code = status;
    socket.write(framed(stdout));
    socket.end();
  }

  const pathOf = ({ url = '' }: IncomingMessage): string =>
    new URL(url, 'http://engine').pathname.replace(/^\/v\d+\.\d+/, '');
  const server = createServer(async (request, response) => {
    const path = pathOf(request);
    const logs = /^\/containers\/(\w+)\/logs$/.exec(path);
    if (logs) {
      requests.push(`GET ${path}`);
      const { output, child } = containers.get(logs[1]!)!;
      response.writeHead(200, { 'content-type': 'application/vnd.docker.raw-stream' });
      for (const bytes of output) response.write(framed(bytes));
      for (const stream of [child!.stdout!, child!.stderr!])
        stream.on('data', (bytes) => response.write(framed(bytes)));
      return;
    }
    const execution = /^\/exec\/(\w+)\/start$/.exec(path);
    if (execution) return execute(execution[1]!, response);
    const { status, body } = await answer(request.method!, path, request);
    response.writeHead(status, { 'content-type': 'application/json', 'api-version': '1.47' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
    const [, id] = /^\/exec\/(\w+)\/start$/.exec(pathOf(request))!;
    socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n');
    execute(id!, socket);
  });
  const path = join(folder, 'engine.sock');
  await once(server.listen(path), 'listening');
  return {
    host: `unix://${path}`,
    requests: requests as readonly string[],
    /** Whether a container still runs. */
    isRunning: () =>
      [...containers.values()].some(({ child }) => child?.exitCode === null && child.signalCode === null),
    close() {
      for (const { child } of containers.values()) child?.kill('SIGKILL');
      server.closeAllConnections();
      server.close();
    },
  };
}
