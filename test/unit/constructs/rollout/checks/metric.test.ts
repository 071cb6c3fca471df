import { describe, expect, it } from 'vitest';
import { BAD, benchOf, CheckBench, GOOD, keysOf, metric, sampleAt, second, sleeping, vector } from './check-bench.ts';

describe('a metric of a step', () => {
  it('a metric is not asked for before the pods of the step are ready', () => {
    const answer = benchOf().ask('Step', {});
    expect(answer).toMatchObject({ verdict: 'pass', effects: [], analysis: [] });
  });

  it('a metric is asked for with a GET of its query, filled in', () => {
    const { effects } = benchOf({ query: 'rate{v="{{canary}}",old="{{stable}}",pod=~"{{canaryPods}}"}' }).ask(
      'Step',
      sleeping,
    );
    const [effect] = effects;
    const request = effect?.effect === 'http' ? effect.request : undefined;
    const url = new URL(typeof request?.url === 'string' ? request.url : '');
    expect(request?.method).toBe('GET');
    expect(url.host).toBe('prometheus:9090');
    expect(url.searchParams.get('query')).toBe(
      'rate{v="1.7.8",old="1.7.7",pod=~"web-1[.]7[.]8-[a-z0-9]+-[a-z0-9]{5}"}',
    );
  });

  it('a metric without an address asks the Prometheus of the operator', () => {
    const { address: _, ...rest } = metric();
    const bench = new CheckBench({ steps: [{ percent: 10, metrics: [rest] }] }, { prometheusUrl: 'http://ours:9090' });
    expect(JSON.stringify(bench.ask('Step', sleeping).effects)).toContain('http://ours:9090/api/v1/query');
  });

  it('a metric may name the certificates that vouch for its server', () => {
    const certificateAuthority = { configMapName: 'trust', key: 'ca.crt' };
    const [effect] = benchOf({ certificateAuthority }).ask('Step', sleeping).effects;
    expect(effect).toMatchObject({ request: { certificateAuthority } });
  });

  it('samples are taken every interval from readiness on, and once more at the end of the sleep', () => {
    const bench = benchOf();
    const asked = [0, 15, 30, 45, 59].map((at) => {
      bench.now = at;
      const keys = keysOf(bench.ask('Step', sleeping));
      for (const key of keys) bench.answer(key, 200, GOOD);
      bench.ask('Step', sleeping);
      return [at, keys.length];
    });
    expect(asked).toEqual([
      [0, 1],
      [15, 0],
      [30, 1],
      [45, 0],
      [59, 0],
    ]);
    expect(bench.awaited).toBe(60);
    expect(sampleAt(bench, 60, GOOD)).toMatchObject({ verdict: 'pass', effects: [] });
    expect(bench.analysis).toMatchObject([{ hook: 'Metric', phase: 'Passed', count: 3, failures: 0, value: '1' }]);
  });

  it('a step does not pass before its sleep is over, however good the metric', () => {
    const bench = benchOf();
    expect(sampleAt(bench, 0, GOOD).verdict).toBe('wait');
    expect(bench.awaited).toBe(30);
  });

  it('a step without a sleep passes with its first sample', () => {
    const atOnce = { stepReadyAt: second(0), sleepUntil: second(0) };
    expect(sampleAt(benchOf(), 0, GOOD, atOnce).verdict).toBe('pass');
  });

  it('an answer from before the end of the sleep is not the last sample', () => {
    const bench = benchOf();
    const [key = ''] = keysOf(bench.ask('Step', sleeping));
    bench.now = 60;
    bench.answer(key, 200, GOOD);
    const answer = bench.ask('Step', sleeping);
    expect(answer.verdict).toBe('wait');
    expect(keysOf(answer)).not.toContain(key);
    expect(keysOf(answer)).toHaveLength(1);
  });

  it('a sleep that was frozen and goes on asks for a new last sample', () => {
    const bench = benchOf();
    sampleAt(bench, 60, GOOD);
    const longer = { stepReadyAt: second(0), sleepUntil: second(100) };
    bench.now = 70;
    expect(bench.ask('Step', longer).verdict).toBe('wait');
    expect(sampleAt(bench, 100, GOOD, longer).verdict).toBe('pass');
  });

  it('a step that waits for a person is sampled on and does not pass by itself', () => {
    const bench = benchOf();
    const held = { stepReadyAt: second(0) };
    expect([0, 30, 3600].map((at) => sampleAt(bench, at, GOOD, held).verdict)).toEqual(['wait', 'wait', 'wait']);
    expect(sampleAt(bench, 7200, BAD, held).verdict).toBe('abort');
  });

  it('the bounds belong to what passes', () => {
    expect(sampleAt(benchOf({ max: 5 }), 60, vector('5')).verdict).toBe('pass');
    expect(sampleAt(benchOf({ max: 5 }), 60, vector('5.01')).verdict).toBe('abort');
    expect(sampleAt(benchOf({ min: '0.99', max: 1 }), 60, vector('0.99')).verdict).toBe('pass');
  });

  it('the first failure aborts without a failureLimit, and says why', () => {
    const answer = sampleAt(benchOf(), 0, BAD);
    expect(answer).toMatchObject({
      verdict: 'abort',
      reason: 'MetricFailed',
      message: 'metric errors: 9, should be at most 5',
      events: [{ type: 'Warning', reason: 'AnalysisFailed', message: 'metric errors: 9, should be at most 5' }],
    });
  });

  it('an abort stays an abort, with one event, whatever the metric says later', () => {
    const bench = benchOf();
    sampleAt(bench, 0, BAD);
    expect(sampleAt(bench, 60, GOOD)).toMatchObject({ verdict: 'abort', effects: [], events: [] });
  });

  it('failures up to failureLimit are borne, one more aborts', () => {
    const bench = benchOf({ failureLimit: 2 });
    const verdicts = [0, 30].map((at) => sampleAt(bench, at, BAD).verdict);
    expect(verdicts).toEqual(['wait', 'wait']);
    expect(sampleAt(bench, 60, BAD).verdict).toBe('abort');
  });

  it('failures need not be in a row to abort', () => {
    const bench = benchOf({ failureLimit: 1, intervalSeconds: 10 });
    const verdicts = [BAD, GOOD, BAD].map((body, index) => sampleAt(bench, index * 10, body).verdict);
    expect(verdicts).toEqual(['wait', 'wait', 'abort']);
  });

  it('the last sample must pass: after one that failed within the limit another one is taken', () => {
    const bench = benchOf({ failureLimit: 1 });
    sampleAt(bench, 0, GOOD);
    expect(sampleAt(bench, 60, BAD).verdict).toBe('wait');
    expect(bench.awaited).toBe(90);
    expect(sampleAt(bench, 90, GOOD).verdict).toBe('pass');
  });

  it('errors up to errorLimit in a row are borne, one more pauses for a human', () => {
    const bench = benchOf({ errorLimit: 2, intervalSeconds: 10 });
    const verdicts = [0, 10, 20].map((at) => sampleAt(bench, at, 'no json').verdict);
    expect(verdicts).toEqual(['wait', 'wait', 'pause']);
    expect(bench.analysis).toMatchObject([{ phase: 'Error', errors: 3, failures: 0 }]);
  });

  it('an answer between errors ends their row', () => {
    const bench = benchOf({ errorLimit: 1, intervalSeconds: 10 });
    const verdicts = ['no json', GOOD, 'no json', GOOD].map((body, index) => sampleAt(bench, index * 10, body).verdict);
    expect(verdicts).toEqual(['wait', 'wait', 'wait', 'wait']);
    expect(bench.analysis).toMatchObject([{ errors: 0, count: 4 }]);
  });

  it('a server that cannot be reached is an error, and the next sample has a key of its own', () => {
    const bench = benchOf();
    const [first = ''] = keysOf(bench.ask('Step', sleeping));
    bench.fail(first, 'Unreachable');
    expect(bench.ask('Step', sleeping)).toMatchObject({ verdict: 'wait', effects: [] });
    expect(bench.analysis).toMatchObject([{ phase: 'Error', message: 'no answer: Unreachable' }]);
    bench.now = 30;
    const [second = ''] = keysOf(bench.ask('Step', sleeping));
    expect(second).not.toBe(first);
  });

  it('a dry run is sampled and recorded, and decides nothing', () => {
    for (const body of [BAD, 'no json', vector()]) {
      const bench = benchOf({ dryRun: true, errorLimit: 0, inconclusiveLimit: 0 });
      expect(bench.ask('Step', sleeping).verdict).toBe('pass');
      expect(sampleAt(bench, 60, body)).toMatchObject({ verdict: 'pass', events: [] });
      expect(bench.analysis[0]?.phase).not.toBe('Passed');
    }
  });

  it('after a restart only what was not recorded is sampled again', () => {
    const bench = benchOf();
    sampleAt(bench, 0, GOOD);
    bench.restart();
    expect(keysOf(bench.ask('Step', sleeping))).toEqual([]);
    bench.now = 30;
    const lost = keysOf(bench.ask('Step', sleeping));
    bench.restart();
    expect(keysOf(bench.ask('Step', sleeping))).toEqual(lost);
  });

  it('a sample of the future, from before the clock was set back, is neither the last one nor waited for', () => {
    const bench = benchOf();
    expect(sampleAt(bench, 3600, GOOD, { stepReadyAt: second(3600), sleepUntil: second(3660) }).verdict).toBe('wait');
    expect(sampleAt(bench, 0, GOOD)).toMatchObject({
      verdict: 'wait',
      effects: [],
      analysis: [{ at: second(0), count: 2 }],
    });
    expect(bench.awaited).toBe(30);
    const late = benchOf();
    sampleAt(late, 3600, GOOD, { stepReadyAt: second(3600), sleepUntil: second(3660) });
    late.now = 60;
    const [key = ''] = keysOf(late.ask('Step', sleeping));
    late.answer(key, 200, BAD);
    expect(late.ask('Step', sleeping).verdict).toBe('abort');
  });

  it('the worst of several metrics counts', () => {
    const both = new CheckBench({
      steps: [{ percent: 10, metrics: [metric({ name: 'a', inconclusiveLimit: 0 }), metric({ name: 'b' })] }],
    });
    const keys = keysOf(both.ask('Step', sleeping));
    const [ofA = '', ofB = ''] = keys;
    both.answer(ofA, 200, vector());
    expect(both.ask('Step', sleeping).verdict).toBe('pause');
    both.answer(ofB, 200, BAD);
    expect(both.ask('Step', sleeping).verdict).toBe('abort');
  });
});
