import { describe, expect, it } from 'vitest';
import { BAD, benchOf, CheckBench, GOOD, keysOf, metric, sampleAt, second, sleeping, vector } from './check-bench.ts';

const NONE = vector();

const without = <T extends object>(value: T, ...names: readonly (keyof T & string)[]): T =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.some((other) => other === name))) as T;

/** The verdicts of samples, one every ten seconds. */
const verdictsOf = (bench: CheckBench, bodies: readonly string[]): readonly string[] =>
  bodies.map((body, index) => sampleAt(bench, index * 10, body).verdict);

describe('a metric without data', () => {
  it.each([
    { onNoData: 'Inconclusive', verdict: 'pause', phase: 'Inconclusive' },
    { onNoData: 'Fail', verdict: 'abort', phase: 'Failed' },
    { onNoData: 'Pass', verdict: 'pass', phase: 'Passed' },
  ] as const)('no data beyond the limit comes to $verdict with onNoData $onNoData', ({ onNoData, verdict, phase }) => {
    for (const body of [NONE, vector('NaN'), vector('+Inf')]) {
      const bench = benchOf({ onNoData, inconclusiveLimit: 0 });
      expect(sampleAt(bench, 60, body).verdict).toBe(verdict);
      expect(bench.analysis).toMatchObject([{ phase, errors: 0 }]);
    }
  });

  it('data that arrive resume the check, as if none had been missing', () => {
    const bench = benchOf();
    expect([sampleAt(bench, 0, NONE), sampleAt(bench, 30, NONE)].map(({ verdict }) => verdict)).toEqual([
      'wait',
      'wait',
    ]);
    expect(bench.analysis).toMatchObject([{ phase: 'Inconclusive', inconclusive: 2, failures: 0, errors: 0 }]);
    expect(sampleAt(bench, 60, GOOD)).toMatchObject({ verdict: 'pass', events: [] });
    expect(bench.analysis).toMatchObject([{ phase: 'Passed', inconclusive: 0 }]);
  });

  it('data that arrive and are bad abort', () => {
    const bench = benchOf();
    sampleAt(bench, 0, NONE);
    expect(sampleAt(bench, 30, BAD)).toMatchObject({ verdict: 'abort', reason: 'MetricFailed' });
  });

  it('inconclusive samples up to inconclusiveLimit are borne, one more asks for a person, once and for good', () => {
    const bench = benchOf({ intervalSeconds: 10, inconclusiveLimit: 2 });
    expect(verdictsOf(bench, [NONE, NONE, NONE])).toEqual(['wait', 'wait', 'pause']);
    expect(sampleAt(bench, 60, GOOD)).toMatchObject({ verdict: 'pause', reason: 'MetricInconclusive', effects: [] });
  });

  it('a metric as it is by default bears four samples without data', () => {
    const bench = benchOf({ intervalSeconds: 10 });
    expect(verdictsOf(bench, [NONE, NONE, NONE, NONE])).toEqual(['wait', 'wait', 'wait', 'wait']);
    expect(sampleAt(bench, 40, NONE)).toMatchObject({
      verdict: 'pause',
      events: [{ type: 'Warning', reason: 'AnalysisFailed', message: 'metric errors: the query found no series' }],
    });
  });

  it('the end of the sleep without data is no end of the step: samples go on at their interval', () => {
    const bench = benchOf();
    expect(sampleAt(bench, 60, NONE).verdict).toBe('wait');
    expect(bench.awaited).toBe(90);
    expect(sampleAt(bench, 90, GOOD).verdict).toBe('pass');
  });

  it('no data and no answers by turns are bounded, too', () => {
    const bench = benchOf({ intervalSeconds: 10, inconclusiveLimit: 2, errorLimit: 2 });
    expect(verdictsOf(bench, [NONE, 'no json', NONE, 'no json', NONE])).toEqual([
      'wait',
      'wait',
      'wait',
      'wait',
      'pause',
    ]);
  });

  it('a result of an operator that did not count goes on being sampled', () => {
    const bench = benchOf();
    sampleAt(bench, 0, NONE);
    bench.analysis = bench.analysis.map((record) => without(record, 'inconclusive'));
    expect(sampleAt(bench, 30, GOOD).verdict).toBe('wait');
    expect(bench.analysis).toMatchObject([{ phase: 'Passed', count: 2 }]);
  });
});

describe('a metric that was read through an older definition', () => {
  it('has the defaults of the fields that it lacks', () => {
    const old = without(metric({ intervalSeconds: 10 }), 'series', 'initialDelaySeconds', 'inconclusiveLimit');
    const bench = new CheckBench({ steps: [{ percent: 10, metrics: [old] }] });
    expect(verdictsOf(bench, [vector('1', '2'), NONE, NONE, NONE, NONE])).toEqual(Array(5).fill('wait'));
    expect(sampleAt(bench, 50, NONE).verdict).toBe('pause');
    expect(bench.analysis).toMatchObject([{ count: 6, inconclusive: 5 }]);
  });
});

describe('the initial delay of a metric', () => {
  it('no sample is taken before it is over', () => {
    const bench = benchOf({ initialDelaySeconds: 45 });
    bench.now = 44;
    expect(keysOf(bench.ask('Step', sleeping))).toEqual([]);
    expect(bench.awaited).toBe(45);
    expect(sampleAt(bench, 45, BAD).verdict).toBe('abort');
  });

  it('a step lasts until it is over, and its first sample is the last', () => {
    const bench = benchOf({ initialDelaySeconds: 90 });
    bench.now = 60;
    expect(bench.ask('Step', sleeping)).toMatchObject({ verdict: 'wait', effects: [] });
    expect(bench.awaited).toBe(90);
    expect(sampleAt(bench, 90, GOOD).verdict).toBe('pass');
    expect(bench.analysis).toMatchObject([{ count: 1 }]);
  });

  it('counts from the readiness of its own step', () => {
    const bench = benchOf({ initialDelaySeconds: 30 });
    const later = { stepReadyAt: second(100), sleepUntil: second(160) };
    bench.now = 129;
    expect(keysOf(bench.ask('Step', later))).toEqual([]);
    expect(sampleAt(bench, 130, GOOD, later).verdict).toBe('wait');
  });
});

describe('a metric of several series', () => {
  it('several series are an error that says so, and pause for a person in the end', () => {
    const bench = benchOf({ errorLimit: 0 });
    expect(sampleAt(bench, 0, vector('1', '9', '1'))).toMatchObject({
      verdict: 'pause',
      reason: 'MetricError',
      message:
        'metric errors: the query found 3 series, and which of them counts is not said: aggregate them, as with sum() or max()',
    });
  });

  it('the first one counts where the author says so', () => {
    expect(sampleAt(benchOf({ series: 'First' }), 0, vector('9', '1')).verdict).toBe('abort');
    expect(sampleAt(benchOf({ series: 'First' }), 60, vector('1', '9')).verdict).toBe('pass');
  });
});
