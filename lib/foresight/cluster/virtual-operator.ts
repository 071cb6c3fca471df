import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { Actor } from '#lib/controllers/actor.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Effect } from '#lib/desired/result/desired.ts';
import { ForesightError, type ReconcileError } from '#lib/errors.ts';
import { isSecret } from '#lib/kind/handles/secret-kind.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import type { HttpAnswer } from '#lib/kube/interface/http.ts';
import type { PassFailure } from '#lib/loop/context/hooks.ts';
import { type Manager, startManager } from '#lib/loop/manager/manager.ts';
import type { DecidedPass } from '#lib/loop/pass/decision.ts';
import { directTransport } from '#lib/sim/world/api/direct-transport.ts';
import { kubeApiOver } from '#lib/sim/world/api/kube-api.ts';
import { detached } from '#lib/sim/world/guard/detached.ts';
import { Guard } from '#lib/sim/world/guard/guard.ts';
import type { VirtualClock } from '#lib/sim/world/step/clock.ts';
import { type RecordedWrite, recording } from './recorded-write.ts';

/** An HTTP request of an effect, such as a request to a webhook or metrics server. */
export interface OutsideRequest {
  readonly method: string;
  readonly url: string;
}

/** Options for {@link VirtualOperator}. */
export interface VirtualOperatorOptions {
  readonly kinds: readonly AnyKindDefinition[];
  /** See `ManagerOptions.ownNamespace`. */
  readonly ownNamespace?: string | undefined;
  readonly server: ApiServer;
  /** The clock, shared with the virtual server. */
  readonly clock: VirtualClock;
  /** The other actors of the cluster, such as controllers and kubelets. @default none */
  readonly actors?: readonly Actor[];
  /** The hosts that the operator allows. @default all */
  readonly allowedHosts?: readonly string[];
  /** Returns the response to an HTTP request of an effect; `undefined` for no response. @default no responses */
  readonly answer?: (request: OutsideRequest) => HttpAnswer | undefined;
  readonly onWrite: (write: RecordedWrite) => void;
  /** Called for every pass, before the pass writes. */
  readonly onDecision: (decision: DecidedPass) => void;
  /** Called for every failed call of a kind's function, and every failed pass. @default none */
  readonly onFailure?: (failure: PassFailure) => void;
  /** Ends `start()` and `run()` between two turns of the event loop, with the signal's reason. @default never */
  readonly signal?: AbortSignal;
}

const OPERATOR = 'operator';

const SECRETS = { group: '', plural: 'secrets' } as const;

/** Maximum number of event loop turns until the caches are filled. Each turn handles some hundred objects. */
const MAX_TURNS = 100_000;

/** Maximum number of steps. A run with more steps is assumed to be endless. */
const MAX_STEPS = 1_000_000;

/** Placeholder for the host of a URL that is in a Secret. The operator sends no request to this host. */
const UNKNOWN_HOST = 'in-a-secret.invalid';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const quiet = { ...silent, child: () => quiet };

const never = async <T>(): Promise<T> => new Promise<T>(() => undefined);

/**
 * A client whose reads of a missing Secret never return. The Secret may exist in the cluster: a plan reads Secrets only for kinds
 * that declare them.
 */
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
 * The real loop of a newly started operator, on a virtual server and in virtual time.
 *
 * **Flow**: `start()` fills the caches → `run()` executes all work that is due until a given time, in order → `stop()`.
 *
 * **Guarantees**: the server responds at once, so a run depends only on the kinds, the stored objects, the clock, and `answer`. The
 * operator sends no request out of the process. An HTTP request without a response from `answer` waits for ever.
 *
 * **Assumptions**: no other code moves the clock.
 *
 * **Caveats**: a function of a kind that does not return ends the whole run: {@link VirtualOperator.start} and
 * {@link VirtualOperator.run} throw.
 */
export class VirtualOperator {
  readonly #options: VirtualOperatorOptions;
  readonly #allowedHosts: string[];
  readonly #guard = new Guard();
  #manager: Manager | undefined;
  #watchError: ReconcileError | undefined;
  #steps = 0;
  /** Whether the guard has ended a call that did not return. */
  #isEnded = false;

  constructor(options: VirtualOperatorOptions) {
    this.#options = options;
    this.#allowedHosts = [...(options.allowedHosts ?? [])];
  }

  /**
   * Fills the caches of the loop.
   *
   * @throws {ForesightError} when a resource that the loop needs cannot be listed, the loop does not start, or a function of a
   *   kind does not return
   */
  async start(): Promise<void> {
    const { kinds, ownNamespace, server, clock, onWrite, onFailure } = this.#options;
    const timers = clock.timersOf(OPERATOR);
    const manager = startManager({
      kinds: kinds.map((kind) => this.#guard.over(kind)),
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
      ...(ownNamespace !== undefined && { ownNamespace }),
      ...(onFailure && { onFailure }),
      onWatchError: (error) => (this.#watchError ??= error),
    });
    this.#manager = manager;
    const progress = { isStarted: false };
    void manager.started.finally(() => {
      progress.isStarted = true;
    });
    for (let turns = 0; !progress.isStarted; turns += 1) {
      // The loop processes long lists in parts, with timers of zero milliseconds between the parts.
      await this.#guarded(() => clock.fire(OPERATOR));
      const cause = this.#watchError;
      if (cause) throw new ForesightError(`Cannot look ahead: ${cause.message}`, { cause });
      if (turns > MAX_TURNS) throw new ForesightError('Cannot look ahead: the loop does not start');
    }
  }

  /**
   * Executes all work that is due until a given time.
   *
   * @param untilMs - milliseconds since the clock's start
   * @throws {ForesightError} when the run needs too many steps, or a function of a kind does not return
   */
  async run(untilMs: number): Promise<void> {
    const { clock } = this.#options;
    for (;;) {
      await this.#turn();
      if (await this.#act()) continue;
      const dueMs = this.#nextDueMs();
      if (dueMs > untilMs) return;
      if (dueMs > clock.elapsedMs) clock.advanceTo(dueMs);
      await this.#guarded(() => clock.fire(OPERATOR));
    }
  }

  async stop(): Promise<void> {
    // After an ended call, the promise of the pass never settles, so `stop()` would never return.
    if (!this.#isEnded) await this.#manager?.stop();
  }

  #decided(decision: DecidedPass): void {
    const { allowedHosts, onDecision } = this.#options;
    if (allowedHosts === undefined) {
      const hosts = (decision.wanted.desired.effects ?? []).flatMap(hostOf);
      this.#allowedHosts.push(...hosts.filter((host) => !this.#allowedHosts.includes(host)));
    }
    onDecision(decision);
  }

  /** Waits one turn of the event loop. All promises settle in this turn, because the loop has no real timers and no I/O. */
  async #turn(): Promise<void> {
    await this.#guarded(() => undefined);
    this.#steps += 1;
    if (this.#steps > MAX_STEPS)
      throw new ForesightError(`Cannot look ahead: after ${MAX_STEPS} steps there is still more to do`);
  }

  /** Runs a function. If a function of a kind does not return, the guard ends the call, and this method throws. */
  async #guarded(work: () => void): Promise<void> {
    const called = await detached(work);
    this.#options.signal?.throwIfAborted();
    this.#isEnded ||= called.hangs;
    if (called.hangs) throw new ForesightError(`Cannot look ahead: ${this.#guard.hangOf('a pass')[0]}`);
    if ('error' in called) throw called.error;
  }

  /**
   * Runs the steps of each actor that are due. A step may be outdated after an earlier step; then the server refuses its write.
   *
   * @returns whether any actor had a step
   */
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
