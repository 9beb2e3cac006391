import { formatInstant } from '../../../base/instants.ts';
import { SingleFlight } from '../../../base/single-flight.ts';
import { every } from '../../../base/timers.ts';
import type { Environment } from '../../../contract/declare/account-state.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type {
  AdServing,
  BeaconRequest,
  DecisionRequest,
  OutageTolerance,
  PlacementDecisions,
} from '../../../contract/services/serving.ts';
import type { Publisher } from '../../../contract/store/publishers.ts';
import { sealClickId, withClickId } from '../conversions/click-id.ts';
import { touchOf } from './beacon.ts';
import type { AccountCounters } from './counters.ts';
import { decide } from './decide.ts';
import { EnvironmentServing, type ServingDeps } from './environment-serving.ts';
import { outageTolerance } from './outage-tolerance.ts';
import type { OpenedToken, TokenKind } from './tokens.ts';

const ENVIRONMENTS = ['production', 'sandbox'] as const;
/** Interval at which counted beacons are stored; a crash loses those of the last one. @source decision 983 */
const FLUSH_INTERVAL_MS = 1000;
/** Number of accounts flushed concurrently. */
const CONCURRENT_FLUSHES = 4;

/** Serves ads in the environments whose delivery is `served`. */
export class Serving implements AdServing {
  readonly outages: OutageTolerance;
  readonly #deps: ServingDeps;
  readonly #environments = new Map<Environment, EnvironmentServing>();
  readonly #tick = new SingleFlight();
  #cancel = (): void => {};

  constructor(deps: ServingDeps) {
    this.#deps = deps;
    this.outages = outageTolerance(deps.waitsMax);
  }

  /** Undefined if its delivery is not `served`. */
  #in(environment: Environment): EnvironmentServing | undefined {
    if (!this.#isServed(environment)) return undefined;
    let serving = this.#environments.get(environment);
    if (!serving) {
      serving = new EnvironmentServing(this.#deps, environment, this.outages);
      this.#environments.set(environment, serving);
    }
    return serving;
  }

  #isServed(environment: Environment): boolean {
    return this.#deps.services.delivery.mode(environment) === 'served';
  }

  async decide(publisher: Publisher, request: DecisionRequest): Promise<readonly PlacementDecisions[]> {
    const serving = this.#in(publisher.environment);
    if (!serving) return request.placements.map(({ id }) => ({ id, decisions: [] }));
    return decide(serving, publisher, request);
  }

  #open(kind: TokenKind, { environment, token }: BeaconRequest): OpenedToken | undefined {
    return this.#in(environment)?.tokens.open(kind, token);
  }

  /** Returns the counters of the account of a beacon; undefined if it must not count. */
  #countersOf({ beacon }: OpenedToken, { environment, isSilent }: BeaconRequest): AccountCounters | undefined {
    if (isSilent || this.#deps.services.clock.now() >= beacon.expires_ms) return undefined;
    return this.#in(environment)!.countersOf({ id: beacon.account, environment, timezone: beacon.timezone });
  }

  impression(request: BeaconRequest): void {
    const opened = this.#open('i', request);
    if (!opened) return;
    this.#countersOf(opened, request)?.impression({ beacon: opened.beacon, at_ms: this.#deps.services.clock.now() });
  }

  click(request: BeaconRequest): string | undefined {
    const opened = this.#open('c', request);
    if (!opened) return undefined;
    const { beacon, target } = opened;
    const counters = this.#countersOf(opened, request);
    if (!counters) return target;
    const { clock, box } = this.#deps.services;
    const at_ms = clock.now();
    counters.click({ beacon, at_ms });
    if (!beacon.isMeasured) return target;
    const touch = { ...touchOf(beacon, 'click', formatInstant(at_ms)), kind: 'click' } as const;
    return withClickId(
      target,
      sealClickId(box, request.environment, { ...touch, click: beacon.nonce, mustCount: true }),
    );
  }

  async ready(): Promise<void> {
    await Promise.all(ENVIRONMENTS.map((environment) => this.#in(environment)?.index.firstRead()));
  }

  flush({ id, environment }: SettledAccount): Promise<void> | undefined {
    return this.#in(environment)?.findCounters(id)?.flush();
  }

  start(): void {
    if (!ENVIRONMENTS.some((environment) => this.#isServed(environment))) return;
    const { onError } = this.#deps;
    this.#cancel = every(FLUSH_INTERVAL_MS, () => void this.#tick.run(() => this.#flushDue().catch(onError)));
  }

  async #flushDue(): Promise<void> {
    const { onError } = this.#deps;
    const due: AccountCounters[] = [];
    for (const serving of this.#environments.values()) due.push(...serving.dueCounters());
    const next = due.values();
    const work = async (): Promise<void> => {
      for (const counters of next) await counters.flush().catch(onError);
    };
    await Promise.all(Array.from({ length: CONCURRENT_FLUSHES }, work));
    for (const { index } of this.#environments.values()) await index.refresh().catch(onError);
  }

  async stop(): Promise<void> {
    const { services, node, onError } = this.#deps;
    this.#cancel();
    await this.#tick.running;
    const environments = [...this.#environments.values()];
    for (const serving of environments) {
      for (const counters of serving.allCounters()) await counters.flush().catch(onError);
    }
    if (environments.length > 0) await services.store.write((tx) => tx.budgetLeases.removeOf(node)).catch(onError);
    for (const serving of environments) serving.clear();
  }
}
