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
  /** Returns a random number, uniform in [0, 1). */
  readonly random: () => number;
  /** The metrics of the writes. @default none */
  readonly metrics?: LoopMetrics;
  /** The maximum number of concurrent writes, an integer ≥ 1. @default 16 */
  readonly writesInFlight?: number;
}

/** The waiting writes and retries as JSON, for bug reports and for comparing states. */
export interface FlowState {
  /** The running and waiting writes. Absent while no write is running, the limit is not lowered, and there is no pause. */
  readonly writes?: WriteSlotsState;
  /** The turns of retries after refused writes. Absent when all turns are free, and no resource waits for a turn or has one. */
  readonly probes?: ProbeTurnsState;
}

/** The limits for the writes of a process; all its controllers share the limits. */
export interface Flow {
  /** The client for the controllers. Its writes wait until this process may write and a slot is free. */
  readonly api: KubeApi;
  readonly probes: SharedProbes;
  inspect(): FlowState;
  /** Refuses the waiting writes, and drops the waiting turns of retries. */
  close(): void;
}

/** Makes the limits for the writes of a process; all its controllers share the limits. */
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
    // The leadership is checked after a write has got a slot, because the leadership may end while the write waits. The lease has
    // its own client, so these limits do not delay the renewal of the lease.
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
