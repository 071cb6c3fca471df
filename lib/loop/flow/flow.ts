import type { KubeApi } from '#lib/kube/interface/api.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import { type LoopMetrics, noMetrics } from '#lib/loop/context/metrics.ts';
import { fencedApi } from '#lib/loop/election/fenced-api.ts';
import type { Leadership } from '#lib/loop/election/leadership.ts';
import { aroundWrites } from '#lib/loop/flow/around-writes.ts';
import type { ProbeTurnsState } from './probe-turns.ts';
import { type SharedProbes, sharedProbes } from './probes.ts';
import { DEFAULT_WRITES_IN_FLIGHT, WriteSlots, type WriteSlotsState } from './write-slots.ts';

/** Options of {@link createFlow}. */
export interface FlowOptions {
  readonly api: KubeApi;
  readonly leadership?: Leadership;
  readonly timers: Timers;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** @default counts nothing */
  readonly metrics?: LoopMetrics;
  /** The most writes under way at once, an integer >= 1. @default 16 */
  readonly writesInFlight?: number;
}

/** Writes that wait: JSON, for bug reports and for comparing states. */
export interface FlowState {
  /** Absent while none is under way, and all may be. */
  readonly writes?: WriteSlotsState;
  /** Absent while nothing that was refused waits for its turn. */
  readonly probes?: ProbeTurnsState;
}

/** The bounds on the writes of all controllers of a process together. */
export interface Flow {
  /** For the controllers: while this process may write, and when there is a slot. */
  readonly api: KubeApi;
  readonly probes: SharedProbes;
  inspect(): FlowState;
  /** Nothing that waits is written any more. */
  close(): void;
}

/** Bounds the writes of all controllers of a process together. */
export const createFlow = (options: FlowOptions): Flow => {
  const {
    api,
    leadership,
    timers,
    random,
    metrics = noMetrics,
    writesInFlight: max = DEFAULT_WRITES_IN_FLIGHT,
  } = options;
  const slots = new WriteSlots({ timers, random, max });
  const probes = sharedProbes(timers);
  metrics.writes({ limit: () => slots.limit, waiting: () => slots.waiting });
  return {
    // The fence is checked when the write gets its slot: a write that waited for one may no longer be allowed. Reads pass; the
    // lease has a client of its own, so that these limits do not delay it.
    api: aroundWrites(leadership ? fencedApi(api, leadership) : api, async (write, namespace) =>
      slots.run(namespace, write),
    ),
    probes,
    inspect: () => {
      const [writes, turns] = [slots.inspect(), probes.turns.inspect()];
      return { ...(writes && { writes }), ...(turns && { probes: turns }) };
    },
    close: () => {
      slots.close();
      probes.turns.close();
    },
  };
};
