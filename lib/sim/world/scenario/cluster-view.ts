import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { VirtualClock } from '#lib/sim/world/step/clock.ts';
import type { Trace } from '#lib/sim/world/step/trace.ts';
import type { HttpExchange } from './http-exchange.ts';
import type { ClusterView } from './scenario.ts';

interface Viewed {
  readonly server: ApiServer;
  readonly trace: Trace;
  readonly outside: { readonly exchanges: readonly HttpExchange[] };
}

/** The view of a cluster for invariants, outcomes and the HTTP servers of the scenario. The view always has the current state. */
export const clusterView = (world: Viewed, clock: VirtualClock): ClusterView => ({
  objects: (resource, namespace) => world.server.objects(resource, namespace),
  get exchanges() {
    return world.outside.exchanges;
  },
  get nowMs() {
    return clock.nowMs;
  },
  get lastStep() {
    return world.trace.entries.at(-1)?.label ?? '';
  },
});
