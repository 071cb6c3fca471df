import { deepFreeze } from '#lib/desired/canonical/freeze.ts';
import type { AnyResource } from '#lib/desired/definition.ts';
import type { Outcome, Outcomes } from '#lib/desired/observation.ts';
import { noOutcomes } from '#lib/desired/observe/create-observation.ts';
import type { Effect } from '#lib/desired/result/desired.ts';
import { type Key, keyOf } from '#lib/loop/context/key.ts';
import { type EffectRecord, effectId, effectRecordOf } from './attempt.ts';
import { Tries, type TriesOptions } from './tries.ts';

/** Options of {@link EffectRunner}. */
export interface EffectRunnerOptions extends TriesOptions {
  /** Called with the key of a resource when one of its effects has ended. */
  readonly onEnd: (key: Key) => void;
}

interface Owner {
  readonly uid: string;
  readonly records: Map<string, EffectRecord>;
  /** The outcomes for the next pass; undefined after a change, until the next read. */
  outcomes: Outcomes | undefined;
}

/**
 * The maximum number of failures that are remembered per resource. A failed effect is not executed again under its key while the
 * failure is remembered.
 */
const MAX_FAILURES = 256;

const stateOf = ({ outcome, attempts, isCounted }: EffectRecord): string =>
  `${outcome.state} ${attempts}${isCounted ? ' counted' : ''}`;

const none = Object.freeze({ state: 'none' as const });

/**
 * Executes the effects that functions request.
 *
 * Flow: a pass requests effects (`request`) → attempts, with a growing delay between them → the effect has ended → another pass
 * of the resource reads the outcome (`outcomes`) → the pass writes its status (`counted`) → the outcome is dropped.
 *
 * Guarantees: an effect has one attempt at a time. After a success, there is no further attempt while passes request the effect.
 * After a failure, no further attempt under the same key follows, unless the resource has 256 later failures. A running effect
 * that is no longer requested is cancelled: no attempt begins, and a running attempt is aborted. A resource with another uid
 * starts without effects.
 *
 * Assumptions: one pass at a time per key; the function copies the outcome into the status in the pass that reads it.
 *
 * Caveats: the state is in memory. After a crash, an effect may be executed again, with the same idempotency key. A key must
 * always mean the same request: only the first request with a key is sent.
 */
export class EffectRunner {
  readonly #options: EffectRunnerOptions;
  readonly #owners = new Map<Key, Owner>();
  readonly #tries: Tries;
  readonly #running = new Set<Promise<void>>();
  #isStopped = false;

  constructor(options: EffectRunnerOptions) {
    this.#options = options;
    this.#tries = new Tries(options);
  }

  /** The outcomes of the effects of a resource, for its next pass. Frozen, and the same object until an outcome changes. */
  outcomes(key: Key, uid: string): Outcomes {
    const owner = this.#owners.get(key);
    if (owner?.uid !== uid || owner.records.size === 0) return noOutcomes;
    for (const record of owner.records.values()) record.isShown = record.outcome.state !== 'running';
    owner.outcomes ??= outcomesIn(new Map([...owner.records].map(([id, { outcome }]) => [id, outcome])));
    return owner.outcomes;
  }

  /** Starts the effects that a pass requests for the first time, and cancels running effects that it no longer requests. */
  request(resource: AnyResource, effects: readonly Effect[]): void {
    if (this.#isStopped) return;
    const { namespace, name, uid } = resource.metadata;
    const key = keyOf(namespace, name);
    const owner = this.#ownerOf(key, uid);
    if (!owner && effects.length === 0) return;
    const { records } = owner ?? this.#adopt(key, uid);
    const wanted = new Set(effects.map(effectId));
    for (const [id, record] of records) {
      if (wanted.has(id)) record.isCounted = false;
      else if (record.outcome.state === 'running') this.#drop(key, id);
    }
    for (const effect of effects) {
      if (records.has(effectId(effect))) continue;
      this.#change(key, (changed) => changed.records.set(effectId(effect), effectRecordOf(effect)));
      this.#start(key, resource, effectId(effect));
    }
  }

  /**
   * Called after a pass has written its status. Drops each success that the pass read, if neither this pass nor the previous such
   * pass requested the effect.
   */
  counted(key: Key, effects: readonly Effect[]): void {
    const records = this.#owners.get(key)?.records ?? new Map<string, EffectRecord>();
    const wanted = new Set(effects.map(effectId));
    for (const [id, record] of records) {
      if (wanted.has(id) || !record.isShown || record.outcome.state !== 'succeeded') continue;
      if (record.isCounted) this.#drop(key, id);
      record.isCounted = true;
    }
  }

  /** Cancels all effects of a resource that no longer exists. */
  forget(key: Key): void {
    for (const { cancelled } of this.#owners.get(key)?.records.values() ?? []) cancelled.abort();
    this.#owners.delete(key);
  }

  /** Cancels all effects, and waits until no attempt is running. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const key of this.#owners.keys()) this.forget(key);
    await Promise.all(this.#running);
  }

  /** The state and the number of attempts of each effect, by key of the resource, without requests and responses. */
  inspect(): Readonly<Record<string, Readonly<Record<string, string>>>> {
    const owners = [...this.#owners].map(([key, { records }]) => {
      return [key, Object.fromEntries([...records].map(([id, record]) => [id, stateOf(record)]))] as const;
    });
    return Object.fromEntries(owners);
  }

  #ownerOf(key: Key, uid: string): Owner | undefined {
    const owner = this.#owners.get(key);
    if (owner === undefined || owner.uid === uid) return owner;
    this.forget(key);
    return undefined;
  }

  #adopt(key: Key, uid: string): Owner {
    const owner = { uid, records: new Map<string, EffectRecord>(), outcomes: undefined };
    this.#owners.set(key, owner);
    return owner;
  }

  #change(key: Key, change: (owner: Owner) => void): void {
    const owner = this.#owners.get(key);
    if (!owner) return;
    change(owner);
    owner.outcomes = undefined;
  }

  #drop(key: Key, id: string): void {
    this.#change(key, ({ records }) => {
      records.get(id)?.cancelled.abort();
      records.delete(id);
    });
  }

  #start(key: Key, resource: AnyResource, id: string): void {
    const record = this.#owners.get(key)?.records.get(id);
    if (!record) return;
    const work = this.#untilEnd(key, resource, record);
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }

  async #untilEnd(key: Key, resource: AnyResource, record: EffectRecord): Promise<void> {
    const { log, onEnd } = this.#options;
    const { effect, cancelled } = record;
    const outcome = await this.#tries.untilEnd(key, resource, record);
    if (!outcome || cancelled.signal.aborted) return;
    const { detail } = record;
    const ended = outcome.state === 'failed' ? { reason: outcome.reason, detail } : {};
    log.info({ key, effect: effectId(effect), attempts: record.attempts, ...ended }, `effect ${outcome.state}`);
    this.#change(key, ({ records }) => {
      record.outcome = deepFreeze(outcome);
      // The latest end comes last, so that the failures are in the order in which they happened.
      records.delete(effectId(effect));
      records.set(effectId(effect), record);
      const failures = [...records].filter(([, each]) => each.outcome.state === 'failed');
      for (const [id] of failures.slice(0, -MAX_FAILURES)) records.delete(id);
    });
    onEnd(key);
  }
}

const outcomesIn = (outcomes: ReadonlyMap<string, Outcome<unknown>>): Outcomes => {
  const of = (effect: Effect['effect']) => (key: string) => outcomes.get(effectId({ effect, key })) ?? none;
  return Object.freeze({ http: of('http'), dryRun: of('dryRun') }) as Outcomes;
};
