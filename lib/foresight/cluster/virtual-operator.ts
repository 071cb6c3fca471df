import { setImmediate } from 'node:timers/promises';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Effect } from '#lib/desired/desired.ts';
import { ForesightError, type ReconcileError } from '#lib/errors.ts';
import type { KubeApi } from '#lib/kube/api.ts';
import type { HttpAnswer } from '#lib/kube/http.ts';
import { type Manager, startManager } from '#lib/loop/manager.ts';
import type { Decision } from '#lib/loop/pass/decision.ts';
import { isSecret } from '#lib/plan/secret.ts';
import type { Actor } from '#lib/controllers/actor.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { VirtualClock } from '#lib/sim/world/clock.ts';
import { directTransport } from '#lib/sim/world/direct-transport.ts';
import { kubeApiOver } from '#lib/sim/world/kube-api.ts';
import { type RecordedWrite, recording } from './recorded-write.ts';

/** A request to a server outside of the cluster. */
export interface OutsideRequest {
  readonly method: string;
  readonly url: string;
}

/** What an operator in virtual time needs of its surroundings. */
export interface VirtualOperatorOptions {
  readonly kinds: readonly AnyKindDefinition[];
  readonly server: ApiServer;
  /** What the virtual server's clock is made of, too. */
  readonly clock: VirtualClock;
  /** Who acts besides the operator. @default nobody */
  readonly actors?: readonly Actor[];
  /** As the operator was installed with. @default whatever is asked */
  readonly allowedHosts?: readonly string[];
  /** What servers outside say; `undefined` is silence. @default nothing */
  readonly answer?: (request: OutsideRequest) => HttpAnswer | undefined;
  readonly onWrite: (write: RecordedWrite) => void;
  /** Told of every pass, before it writes. */
  readonly onDecision: (decision: Decision) => void;
  /** Ends start and run between two turns, with the signal's reason. @default never */
  readonly signal?: AbortSignal;
}

const OPERATOR = 'operator';

const SECRETS = { group: '', plural: 'secrets' } as const;

/** So many turns of the event loop the first lists may take; each brings some hundred objects. */
const MAX_TURNS = 100_000;

/** So many steps at most: what takes more never ends. */
const MAX_STEPS = 1_000_000;

/** Nobody knows where an address in a Secret leads before it is read; this is no host that anybody asks. */
const UNKNOWN_HOST = 'in-a-secret.invalid';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const quiet = { ...silent, child: () => quiet };

const never = async <T>(): Promise<T> => new Promise<T>(() => undefined);

/** What a Secret holds that was not read nobody knows, least of all that there is none. */
const withUnreadSecrets = (api: KubeApi, server: ApiServer): KubeApi => ({
  ...api,
  get: async (resource, target) => {
    const isThere = (): boolean =>
      server.objects(SECRETS, target.namespace).some(({ metadata }) => metadata.name === target.name);
    return isSecret(resource) && !isThere() ? never() : api.get(resource, target);
  },
});

const hostOf = (effect: Effect): readonly string[] => {
  if (effect.effect !== 'http') return [];
  const { url } = effect.request;
  if (typeof url !== 'string') return [UNKNOWN_HOST];
  const parsed = URL.parse(url);
  if (parsed === null || parsed.hostname === '') return [];
  if (parsed.protocol === 'https:' && parsed.port === '') return [parsed.hostname];
  return [`${parsed.hostname}:${parsed.port === '' ? '80' : parsed.port}`];
};

/**
 * The real loop, as an operator that has just been started, on a virtual server and in virtual time.
 *
 * **Flow**: `start()` fills the caches → `run()` lets happen what is due by a moment, in order → `stop()`.
 *
 * **Guarantees**: requests are answered at once, so a run is a function of what is stored and of the clock. Nothing is sent to a
 * server outside; whoever is not answered waits, however long it is.
 *
 * **Assumptions**: nobody else moves the clock.
 *
 * **Caveats**: a function of a kind that never returns hangs the process; `dev` and `check` find such functions.
 */
export class VirtualOperator {
  readonly #options: VirtualOperatorOptions;
  readonly #allowedHosts: string[];
  #manager: Manager | undefined;
  #watchError: ReconcileError | undefined;
  #steps = 0;

  constructor(options: VirtualOperatorOptions) {
    this.#options = options;
    this.#allowedHosts = [...(options.allowedHosts ?? [])];
  }

  /** @throws {ForesightError} when something that the loop needs cannot be listed */
  async start(): Promise<void> {
    const { kinds, server, clock, onWrite } = this.#options;
    const timers = clock.timersOf(OPERATOR);
    const manager = startManager({
      kinds,
      api: withUnreadSecrets(kubeApiOver(recording(directTransport(server, timers), server, onWrite)), server),
      timers,
      random: () => 0,
      log: quiet,
      silenceMs: Infinity,
      effects: {
        allowedHosts: this.#allowedHosts,
        perform: async ({ method, url }) => this.#options.answer?.({ method, url: url.href }) ?? never(),
        waitsForever: true,
      },
      onDecision: (decision) => this.#decided(decision),
      onWatchError: (error) => (this.#watchError ??= error),
    });
    this.#manager = manager;
    const progress = { isStarted: false };
    void manager.started.finally(() => {
      progress.isStarted = true;
    });
    for (let turns = 0; !progress.isStarted; turns += 1) {
      await setImmediate();
      this.#options.signal?.throwIfAborted();
      // Long lists are taken over bit by bit, with a pause of no time in between.
      clock.fire(OPERATOR);
      const cause = this.#watchError;
      if (cause) throw new ForesightError(`Cannot look ahead: ${cause.message}`, { cause });
      if (turns > MAX_TURNS) throw new ForesightError('Cannot look ahead: the loop does not start');
    }
  }

  /**
   * Lets happen whatever is due.
   *
   * @param untilMs - milliseconds since the clock's start
   * @throws {ForesightError} when it never ends
   */
  async run(untilMs: number): Promise<void> {
    const { clock } = this.#options;
    for (;;) {
      await this.#turn();
      if (await this.#act()) continue;
      const dueMs = this.#nextDueMs();
      if (dueMs > untilMs) return;
      if (dueMs > clock.elapsedMs) clock.advanceTo(dueMs);
      clock.fire(OPERATOR);
    }
  }

  async stop(): Promise<void> {
    await this.#manager?.stop();
  }

  #decided(decision: Decision): void {
    const { allowedHosts, onDecision } = this.#options;
    if (allowedHosts === undefined) {
      const hosts = (decision.wanted.desired.effects ?? []).flatMap(hostOf);
      this.#allowedHosts.push(...hosts.filter((host) => !this.#allowedHosts.includes(host)));
    }
    onDecision(decision);
  }

  /** Everything that promises lead to happens in one turn of the event loop: nothing here waits for a real timer or for I/O. */
  async #turn(): Promise<void> {
    await setImmediate();
    this.#options.signal?.throwIfAborted();
    this.#steps += 1;
    if (this.#steps > MAX_STEPS)
      throw new ForesightError(`Cannot look ahead: after ${MAX_STEPS} steps there is still more to do`);
  }

  /** Everybody does once what is due; what is overtaken meanwhile the server refuses. @returns whether there was anything */
  async #act(): Promise<boolean> {
    const { actors = [], clock } = this.#options;
    let hasActed = false;
    for (const actor of actors) {
      const due = actor
        .steps()
        .filter(({ isFault, notBefore }) => isFault !== true && (notBefore ?? -Infinity) <= clock.nowMs);
      for (const step of due) {
        step.run();
        hasActed = true;
        await this.#turn();
      }
    }
    return hasActed;
  }

  #nextDueMs(): number {
    const { actors = [], clock } = this.#options;
    const startMs = clock.nowMs - clock.elapsedMs;
    const own = clock.nextDueMs(OPERATOR) ?? Infinity;
    const others = actors
      .flatMap((actor) => actor.steps())
      .flatMap(({ isFault, notBefore }) => (isFault === true || notBefore === undefined ? [] : [notBefore - startMs]));
    return Math.min(own, ...others);
  }
}
