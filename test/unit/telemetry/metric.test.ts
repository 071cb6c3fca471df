import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvariantError } from '#lib/errors.ts';
import { Histogram, Registry } from '#lib/telemetry/metric.ts';

describe('Registry', () => {
  it('text() is what Prometheus reads', () => {
    const registry = new Registry();
    const requests = registry.family({ name: 'requests_total', help: 'Asked.\nOften.', type: 'counter' });
    requests.counter({ code: '200', path: 'a"b\\c\nd' }).increment(2);
    requests.counter({ code: '200', path: 'a"b\\c\nd' }).increment();
    registry.family({ name: 'depth', help: 'Deep.', type: 'gauge' }).read({}, () => 1.5);
    const times = registry.family({ name: 'time_seconds', help: 'Long.', type: 'histogram' });
    const histogram = times.histogram({ verb: 'GET' }, [0.1, 1]);
    for (const value of [0.1, 0.5, 30]) histogram.observe(value);
    registry.family({ name: 'unused', help: 'Never.', type: 'counter' });
    expect(registry.text()).toBe(`# HELP requests_total Asked.\\nOften.
# TYPE requests_total counter
requests_total{code="200",path="a\\"b\\\\c\\nd"} 3
# HELP depth Deep.
# TYPE depth gauge
depth 1.5
# HELP time_seconds Long.
# TYPE time_seconds histogram
time_seconds_bucket{verb="GET",le="0.1"} 1
time_seconds_bucket{verb="GET",le="1"} 2
time_seconds_bucket{verb="GET",le="+Inf"} 3
time_seconds_sum{verb="GET"} 30.6
time_seconds_count{verb="GET"} 3
`);
  });

  it('family() refuses a name that is taken', () => {
    const registry = new Registry();
    registry.family({ name: 'depth', help: '', type: 'gauge' });
    expect(() => registry.family({ name: 'depth', help: '', type: 'gauge' })).toThrow(InvariantError);
  });
});

describe('Histogram', () => {
  it('observe() puts every value into the first bucket that holds it', () => {
    const bounds = fc
      .uniqueArray(fc.double({ noNaN: true }), { maxLength: 8 })
      .map((all) => all.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(bounds, fc.array(fc.double({ noNaN: true })), (limits, values) => {
        const histogram = new Histogram(limits);
        for (const value of values) histogram.observe(value);
        const counted = [...limits, Infinity].map((limit) => values.filter((value) => value <= limit).length);
        expect(histogram.cumulative).toEqual(counted);
      }),
    );
  });
});
