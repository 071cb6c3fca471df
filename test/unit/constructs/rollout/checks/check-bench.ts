import { type ChecksOptions, checksOf } from '#constructs/rollout/checks/checks.ts';
import type { RolloutChecks } from '#constructs/rollout/checks/facts.ts';
import { type Hook, hookSchema, type Metric, metricSchema } from '#constructs/rollout/checks/schema.ts';
import type { CheckAnswer, CheckRequest } from '#constructs/rollout/engine/checks.ts';
import { withoutResults } from '#constructs/rollout/engine/decide/transitions.ts';
import { deepFreeze } from '#lib/desired/canonical/freeze.ts';
import { type Instant, passClock } from '#lib/desired/clock.ts';
import type { HttpOutcome } from '#lib/desired/observation.ts';
import { readSchema } from '#lib/kind/json-schema/json-schema.ts';
import type { Props } from '#lib/kind/schema/schema.ts';
import { fillDefaults } from '#lib/kind/value/defaults.ts';

/** A metric as a function sees it. */
export const metric = (written: Partial<Props<typeof metricSchema>> = {}): Metric =>
  fillDefaults(readSchema({ ...metricSchema }), {
    name: 'errors',
    query: 'errors',
    max: 5,
    address: 'http://prometheus:9090',
    ...written,
  }) as Metric;

/** A hook as a function sees it. */
export const hook = (type: Hook['type'], written: Partial<Props<typeof hookSchema>> = {}): Hook =>
  fillDefaults(readSchema({ ...hookSchema }), {
    name: 'hook',
    type,
    url: 'https://hooks.example.com/x',
    ...written,
  }) as Hook;

/** The answer of a Prometheus server. */
export const vector = (...values: readonly string[]): string =>
  JSON.stringify({
    status: 'success',
    data: { resultType: 'vector', result: values.map((value) => ({ metric: {}, value: [1, value] })) },
  });

/** Second 0 of tests. */
const START = Date.parse('2026-11-21T09:30:00Z');

/** The instant `seconds` seconds after the start. */
export const second = (seconds: number): Instant => new Date(START + seconds * 1000).toISOString().replace('Z', '000Z');

/** A request to the checks, as far as a test sets it. */
export type Asked = Partial<
  Pick<
    CheckRequest,
    'stepIndex' | 'percent' | 'stepReadyAt' | 'sleepUntil' | 'milestones' | 'canary' | 'startedAt' | 'isRepeat'
  >
>;

/** Checks over time: keeps the fields of the status, and completes effects as the test says. */
export class CheckBench {
  readonly #checks: RolloutChecks;
  readonly #options: ChecksOptions;
  readonly #outcomes = new Map<string, HttpOutcome>();
  /** Seconds since the start. */
  now = 0;
  analysis: CheckAnswer['analysis'] = [];
  /** When the checks want to be called again, in seconds. */
  awaited: number | undefined;

  constructor(checks: Partial<RolloutChecks>, options: ChecksOptions = {}) {
    this.#checks = { steps: [{ percent: 10 }], ...checks };
    this.#options = options;
  }

  /** Calls the checks, and keeps the fields of the status. */
  ask(point: CheckRequest['hook'], asked: Asked = {}): CheckAnswer {
    const pass = passClock((START + this.now * 1000) * 1000);
    const request: CheckRequest = {
      hook: point,
      rollout: { name: 'web', namespace: 'shop', uid: 'uid-1' },
      stable: { hash: 'aaa', version: '1.7.7', name: 'web-1.7.7' },
      canary: { hash: 'bbb', version: '1.7.8', name: 'web-1.7.8' },
      versionOf: (hash) => ({ aaa: '1.7.7', bbb: '1.7.8', ccc: '1.7.9' })[hash] ?? hash,
      stepIndex: 0,
      percent: 10,
      analysis: this.analysis,
      outcomes: { http: (key) => this.#outcomes.get(key) ?? { state: 'none' }, dryRun: () => ({ state: 'none' }) },
      milestones: [],
      ...asked,
      clock: pass.clock,
    };
    const { analysis, outcomes, ...rest } = request;
    const answer = checksOf(
      this.#checks,
      this.#options,
    )({ ...deepFreeze(rest), analysis: deepFreeze(analysis), outcomes });
    this.analysis = answer.analysis;
    const micros = pass.awaited();
    this.awaited = micros === undefined ? undefined : micros / 1_000_000 - START / 1000;
    for (const { key } of answer.effects) {
      if (!this.#outcomes.has(key)) this.#outcomes.set(key, { state: 'running' });
    }
    return answer;
  }

  /** Completes an effect with an answer. */
  answer(key: string, status: number, body = ''): void {
    this.#outcomes.set(key, { state: 'succeeded', value: { status, body }, at: second(this.now) });
  }

  /** Completes an effect with a failure. */
  fail(key: string, reason: string): void {
    this.#outcomes.set(key, { state: 'failed', reason, attempts: 1, at: second(this.now) });
  }

  /** Rolls the same revision out again. */
  again(): void {
    this.analysis = withoutResults(this.analysis, 'bbb');
  }

  /** Starts another process, which has the status, but not the outcomes, which were in memory. */
  restart(): void {
    this.#outcomes.clear();
  }
}

/** Keys of the effects of an answer. */
export const keysOf = ({ effects }: CheckAnswer): readonly string[] => effects.map(({ key }) => key);

export const GOOD = vector('1');
export const BAD = vector('9');

/** A step of 60 s, ready from second 0. */
export const sleeping: Asked = { stepReadyAt: second(0), sleepUntil: second(60) };

/** A step with one metric. */
export const benchOf = (written: Partial<Metric> = {}): CheckBench =>
  new CheckBench({ steps: [{ percent: 10, metrics: [metric(written)] }] });

/** Calls the checks at a second, answers their requests, and calls them again. */
export const sampleAt = (bench: CheckBench, at: number, body: string, asked: Asked = sleeping): CheckAnswer => {
  bench.now = at;
  for (const key of keysOf(bench.ask('Step', asked))) bench.answer(key, 200, body);
  return bench.ask('Step', asked);
};
