import { describe, expect, it } from 'vitest';
import { attribute, type Profiled, type ProfileNode, type TraceEvent } from '#test/bench/layers/attribute.ts';
import { layerOfPath } from '#test/bench/layers/layers.ts';
import { modulesOf } from '#test/bench/layers/modules.ts';

const node = (id: number, functionName: string, url: string, children: readonly number[] = []): ProfileNode => ({
  id,
  callFrame: { functionName, url, lineNumber: 0 },
  children,
});

/** One sample of 1 ms for each id. */
const profiled = (
  nodes: readonly ProfileNode[],
  samples: readonly number[],
  more: Partial<Profiled> = {},
): Profiled => ({
  profile: { nodes, startTime: 0, samples, timeDeltas: samples.map(() => 1000) },
  events: [],
  processMs: samples.length,
  mainMs: samples.length,
  mainThread: 1,
  ...more,
});

const GC = 'disabled-by-default-v8.gc';
const COMPILE = 'disabled-by-default-v8.compile';

const span = (cat: string, tid: number, times: Pick<TraceEvent, 'ts' | 'dur' | 'tdur'>): TraceEvent => ({
  ph: 'X',
  cat,
  tid,
  ...times,
});

const found = (times: { readonly byLayer: object }): object =>
  Object.fromEntries(Object.entries(times.byLayer).filter(([, ms]) => ms !== 0));

const moduleAt = (url: string): string | undefined => (url === '' ? undefined : url);

describe('attribute()', () => {
  it('gives a function to the layer of its source file, and code without a layer to its nearest caller with one', () => {
    const nodes = [
      node(1, '(root)', '', [2, 5, 6]),
      node(2, 'planChildren', 'lib/plan/plan.ts', [3, 4]),
      node(3, 'sort', ''),
      node(4, 'processTicks', 'node:internal/process/task_queues'),
      node(5, 'send', 'lib/loop/events/sender.ts'),
      node(6, 'runMicrotasks', ''),
    ];
    const times = attribute(profiled(nodes, [2, 3, 4, 5, 6]), moduleAt);
    expect(found(times)).toEqual({ 'function and plan': 3, events: 1, other: 1 });
  });

  it('leaves out idle time, and scales the samples to the CPU time of the main thread', () => {
    const nodes = [node(1, '(root)', '', [2, 3]), node(2, '(idle)', ''), node(3, 'step', 'lib/loop/queue/queue.ts')];
    const times = attribute(profiled(nodes, [2, 2, 3], { mainMs: 5, processMs: 7 }), moduleAt);
    expect(times).toMatchObject({ byLayer: { 'queue and pass': 5 }, elsewhere: 2 });
  });

  it('takes garbage collection and compilation from the trace: samples of the main thread, CPU time of other threads', () => {
    const nodes = [node(1, '(root)', '', [2]), node(2, 'step', 'lib/loop/queue/queue.ts')];
    const events = [
      span(COMPILE, 1, { ts: 500, dur: 1000 }),
      span(`devtools.timeline,${GC}`, 1, { ts: 3500, dur: 1000 }),
      span(GC, 7, { ts: 0, dur: 4000, tdur: 3000 }),
      // An event inside of the event before it, so its time does not count again.
      span(GC, 7, { ts: 1000, dur: 1000, tdur: 900 }),
      span(COMPILE, 8, { ts: 0, dur: 4000, tdur: 2000 }),
    ];
    const times = attribute(profiled(nodes, [2, 2, 2, 2], { events, processMs: 20 }), moduleAt);
    expect(times).toEqual({
      byLayer: expect.objectContaining({ 'queue and pass': 2, compiling: 3, 'garbage collection': 4 }),
      elsewhere: 11,
    });
  });

  it('counts JSON.parse as parsing, whatever calls it, and native code of the event loop as sockets', () => {
    const nodes = [
      node(1, '(root)', '', [2, 4]),
      node(2, 'answer', 'lib/kube/transport/exchange.ts', [3]),
      node(3, 'parse', ''),
      node(4, '(program)', ''),
    ];
    const times = attribute(profiled(nodes, [2, 3, 4]), moduleAt);
    expect(found(times)).toEqual({ 'TLS, sockets and HTTP': 2, parsing: 1 });
  });

  it('adds up to the CPU time of the process', () => {
    const nodes = [node(1, '(root)', '', [2]), node(2, 'x', 'lib/loop/controller.ts')];
    const events = [span(GC, 9, { ts: 0, dur: 1000, tdur: 1000 })];
    const { byLayer, elsewhere } = attribute(profiled(nodes, [2, 2], { events, processMs: 9 }), moduleAt);
    expect(Object.values(byLayer).reduce((a, b) => a + b, 0) + elsewhere).toBe(9);
  });
});

it.each([
  ['node_modules/undici/lib/core/request.js', 'TLS, sockets and HTTP'],
  ['lib/kube/transport/transport.ts', 'TLS, sockets and HTTP'],
  ['lib/kube/client/watch-event.ts', 'parsing'],
  ['lib/loop/cache/projection/projection.ts', 'projection and hashing'],
  ['lib/plan/stamp.ts', 'projection and hashing'],
  ['lib/plan/plan.ts', 'function and plan'],
  ['constructs/pod-set/desired.ts', 'function and plan'],
  ['lib/loop/pass/reconcile.ts', 'queue and pass'],
  ['lib/loop/controller.ts', 'queue and pass'],
  ['lib/loop/events/recorder.ts', 'events'],
  ['node_modules/pino/lib/proto.js', 'logs and metrics'],
  ['node:internal/stream_base_commons', 'TLS, sockets and HTTP'],
  ['node:internal/timers', undefined],
  ['node_modules/typebox/build/index.mjs', undefined],
])('layerOfPath() of %s is %s', (path, layer) => {
  expect(layerOfPath(path)).toBe(layer);
});

it('modulesOf() finds the module of each line of a bundle', () => {
  const bundle = [
    'import { createRequire } from "node:module";',
    '// lib/json.ts',
    'const a = 1;',
    '// a comment about lib/json.ts',
    '// node_modules/undici/lib/core/util.js',
    'const b = 2;',
  ].join('\n');
  const at = modulesOf(bundle);
  expect([0, 2, 3, 5, 9].map(at)).toEqual([
    undefined,
    'lib/json.ts',
    'lib/json.ts',
    'node_modules/undici/lib/core/util.js',
    undefined,
  ]);
});
