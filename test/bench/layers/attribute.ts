import { LAYERS, type Layer, layerOfCategory, layerOfPath } from './layers.ts';

/** A function in a CPU profile, with its callers above it. */
export interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

/** An event of V8 in a trace; times in microseconds. */
export interface TraceEvent {
  readonly ph: string;
  readonly cat: string;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** CPU time of the thread during the event, in microseconds. */
  readonly tdur?: number;
}

/** What `preload/profile.ts` writes. */
export interface Profiled {
  readonly profile: {
    readonly nodes: readonly ProfileNode[];
    readonly startTime: number;
    readonly samples: readonly number[];
    readonly timeDeltas: readonly number[];
  };
  readonly events: readonly TraceEvent[];
  /** CPU time of the whole process, and of its main thread. */
  readonly processMs: number;
  readonly mainMs: number;
  /** The id of the main thread in the trace. */
  readonly mainThread: number;
}

/** CPU time in milliseconds. */
export interface LayerTimes {
  readonly byLayer: Readonly<Record<Layer, number>>;
  /** Time that no profile shows: the guardian, threads of libuv, and the profiler itself. Not part of the layers. */
  readonly elsewhere: number;
}

/** Finds the module of a place in the code. */
export type ModuleAt = (url: string, line: number) => string | undefined;

interface Span {
  readonly layer: Layer;
  readonly from: number;
  readonly until: number;
  readonly cpu: number;
}

/** The outermost events of a thread; events inside of them are parts of their time. */
const spansOf = (events: readonly TraceEvent[]): readonly Span[] => {
  let until = Number.NEGATIVE_INFINITY;
  return events
    .filter(({ ph }) => ph === 'X')
    .toSorted((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))
    .flatMap(({ cat, ts, dur = 0, tdur = 0 }) => {
      const layer = layerOfCategory(cat);
      if (layer === undefined || ts < until) return [];
      until = ts + dur;
      return [{ layer, from: ts, until, cpu: tdur }];
    });
};

/** @returns the layer of a moment; moments must be given in order */
const layerAtMoment = (spans: readonly Span[]) => {
  let index = 0;
  return (moment: number): Layer | undefined => {
    while ((spans[index]?.until ?? Number.POSITIVE_INFINITY) < moment) index += 1;
    const span = spans[index];
    return span !== undefined && span.from <= moment ? span.layer : undefined;
  };
};

/** The layer of each function: its own, or that of its nearest caller with one. */
const layersOfNodes = (nodes: readonly ProfileNode[], moduleAt: ModuleAt): ReadonlyMap<number, Layer | 'idle'> => {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const ownLayer = ({ callFrame: { functionName, url, lineNumber } }: ProfileNode): Layer | 'idle' | undefined => {
    if (functionName === '(idle)') return 'idle';
    if (functionName === '(garbage collector)') return 'garbage collection';
    // Native code that no function calls: the event loop, which reads, decrypts and waits.
    if (functionName === '(program)') return 'TLS, sockets and HTTP';
    if (url === '' && functionName === 'parse') return 'parsing';
    const path = url.startsWith('node:') ? url : moduleAt(url, lineNumber);
    return path === undefined ? undefined : layerOfPath(path);
  };
  const layerOf = (node: ProfileNode | undefined): Layer | 'idle' => {
    if (node === undefined) return 'other';
    return ownLayer(node) ?? layerOf(byId.get(parents.get(node.id) ?? -1));
  };
  return new Map(nodes.map((node) => [node.id, layerOf(node)]));
};

/** Time of the main thread by layer, from its samples, in any unit. */
const mainWeights = ({ profile, events, mainThread }: Profiled, moduleAt: ModuleAt): Map<Layer, number> => {
  const layers = layersOfNodes(profile.nodes, moduleAt);
  const atMoment = layerAtMoment(spansOf(events.filter(({ tid }) => tid === mainThread)));
  const weights = new Map<Layer, number>();
  let moment = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    const delta = profile.timeDeltas[index] ?? 0;
    moment += delta;
    const layer = atMoment(moment) ?? layers.get(id) ?? 'other';
    if (layer !== 'idle') weights.set(layer, (weights.get(layer) ?? 0) + delta);
  }
  return weights;
};

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

/**
 * Divides the CPU time of an operator among its layers.
 *
 * The samples divide the time of the main thread: by the trace where V8 collects garbage or compiles, else by the source
 * file. The time of other threads is in the trace.
 *
 * @param moduleAt - finds the source file of a place in the bundle
 */
export const attribute = (profiled: Profiled, moduleAt: ModuleAt): LayerTimes => {
  const { events, processMs, mainMs, mainThread } = profiled;
  const weights = mainWeights(profiled, moduleAt);
  const total = sum(weights.values());
  const others = Map.groupBy(events, ({ tid }) => tid);
  others.delete(mainThread);
  const helping = [...others.values()].flatMap(spansOf);
  const helped = (layer: Layer): number =>
    sum(helping.filter((span) => span.layer === layer).map(({ cpu }) => cpu / 1000));
  const main = (layer: Layer): number => (total === 0 ? 0 : ((weights.get(layer) ?? 0) / total) * mainMs);
  const byLayer = Object.fromEntries(LAYERS.map((layer) => [layer, main(layer) + helped(layer)])) as Record<
    Layer,
    number
  >;
  return { byLayer, elsewhere: Math.max(0, processMs - sum(Object.values(byLayer))) };
};
