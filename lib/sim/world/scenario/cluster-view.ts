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
export class LiveClusterView implements ClusterView {
  readonly #world: Viewed;
  readonly #clock: VirtualClock;

  constructor(world: Viewed, clock: VirtualClock) {
    this.#world = world;
    this.#clock = clock;
  }

  readonly objects: ClusterView['objects'] = (resource, namespace) => this.#world.server.objects(resource, namespace);

  get exchanges(): readonly HttpExchange[] {
    return this.#world.outside.exchanges;
  }

  get nowMs(): number {
    return this.#clock.nowMs;
  }

  get lastStep(): string {
    return this.#world.trace.entries.at(-1)?.label ?? '';
  }
}
