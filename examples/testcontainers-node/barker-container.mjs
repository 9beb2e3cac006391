import { AbstractStartedContainer, GenericContainer, Wait } from 'testcontainers';

const PRODUCTION = 8080;
const SANDBOX = 8081;
const FOLDER = '/var/lib/barker';

/** A development server in a container. It is reached over a network, so it speaks https; `ca` is the certificate to trust. */
export class BarkerContainer extends GenericContainer {
  #options = [];

  constructor(image = 'barker:0.1.0') {
    super(image);
    this.withExposedPorts(PRODUCTION, SANDBOX);
    this.withWaitStrategy(Wait.forLogMessage(/Barker is ready/));
  }

  /** The same seed gives the same ids and keys. */
  withSeed(seed) {
    return this.withOptions('--seed', String(seed));
  }

  /** The UTC time at which the clock begins, such as `2026-03-02T09:00:00Z`. */
  withClock(time) {
    return this.withOptions('--clock', time);
  }

  /** Begins with the world of a YAML or JSON file instead of the demo world. */
  withWorld(file) {
    this.withCopyFilesToContainer([{ source: file, target: '/tmp/world.yaml' }]);
    return this.withOptions('--world', '/tmp/world.yaml');
  }

  /** Further options of `barker dev`. */
  withOptions(...options) {
    this.#options.push(...options);
    return this;
  }

  async start() {
    this.withCommand(['dev', '--tls', '--tls-name', 'barker', ...this.#options]);
    const started = await super.start();
    const read = async (file) => {
      const { output, exitCode, stderr } = await started.exec(['cat', `${FOLDER}/${file}`]);
      if (exitCode !== 0) throw new Error(`${file} of the container cannot be read: ${stderr}`);
      return output;
    };
    const keys = JSON.parse(await read('dev.json'));
    return new StartedBarkerContainer(started, keys, await read('tls/ca.pem'));
  }
}

export class StartedBarkerContainer extends AbstractStartedContainer {
  /**
   * @param keys of the demo world, named as in dev.json
   * @param ca PEM text of the certificate that clients must trust
   */
  constructor(started, keys, ca) {
    super(started);
    this.keys = keys;
    this.ca = ca;
  }

  /** The address of the production listener. */
  get url() {
    return this.#origin(PRODUCTION);
  }

  get sandboxUrl() {
    return this.#origin(SANDBOX);
  }

  #origin(port) {
    return `https://${this.getHost()}:${this.getMappedPort(port)}`;
  }
}
