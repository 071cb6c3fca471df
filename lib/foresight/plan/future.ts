import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { type OutsideRequest, VirtualOperator } from '#lib/foresight/cluster/virtual-operator.ts';
import type { HttpAnswer } from '#lib/kube/http.ts';
import { type Actors, createActors } from '#lib/controllers/actors.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { VirtualClock } from '#lib/sim/world/clock.ts';
import { Asks } from './asks.ts';
import { nodesIn } from './nodes.ts';
import { type PlannedWrite, plannedWrite, Reasons } from './planned-write.ts';

/** Whose future it is, and when it begins. */
export interface FutureOptions {
  readonly kinds: readonly AnyKindDefinition[];
  /** Epoch milliseconds. */
  readonly now: number;
  readonly allowedHosts?: readonly string[];
  readonly answer?: (request: OutsideRequest) => HttpAnswer | undefined;
  readonly signal?: AbortSignal;
  /** Uids of owners that are not among the live objects, and yet are somewhere. @default none */
  readonly elsewhere?: ReadonlySet<string>;
}

/**
 * The first writes end when only time would bring another. A status waits for its turn up to a quarter of a second, in
 * which nothing else happens; so much is waited for.
 */
export const FIRST_WRITES_MS = 300;

/** What an operator writes and asks from now on, and what is stored then. */
export interface Future {
  readonly writes: readonly PlannedWrite[];
  readonly asks: readonly OutsideRequest[];
  readonly server: ApiServer;
}

/** Everybody else of a cluster. What could not be reached before is not well again because somebody looks ahead. */
const othersOf = (server: ApiServer, now: () => number, elsewhere?: ReadonlySet<string>): Actors =>
  createActors({ server, now, nodes: nodesIn(server), nodeBackAfterMs: Infinity, ...(elsewhere && { elsewhere }) });

/** Lets the operator, and with a horizon everybody else, go on from a state. */
export const futureOf = async (
  state: ApiServer,
  options: FutureOptions,
  { untilMs, isAlone }: { untilMs: number; isAlone: boolean },
): Promise<Future> => {
  const { kinds, now, allowedHosts, answer, signal, elsewhere } = options;
  const clock = new VirtualClock(now);
  const server = state.copy(() => clock.nowMs);
  const reasons = new Reasons();
  const writes: PlannedWrite[] = [];
  const asks = new Asks(allowedHosts);
  const actors = isAlone ? undefined : othersOf(server, () => clock.nowMs, elsewhere);
  const operator = new VirtualOperator({
    kinds,
    server,
    clock,
    ...(actors && { actors: actors.actors }),
    ...(allowedHosts && { allowedHosts }),
    ...(answer && { answer }),
    ...(signal && { signal }),
    onDecision: (decision) => {
      reasons.note(decision);
      asks.note(decision);
    },
    onWrite: (write) => {
      const planned = plannedWrite(write, reasons, clock.elapsedMs);
      if (planned) writes.push(planned);
    },
  });
  try {
    await operator.start();
    await operator.run(untilMs);
  } finally {
    await operator.stop();
    actors?.close();
  }
  return { writes, asks: asks.all, server };
};
