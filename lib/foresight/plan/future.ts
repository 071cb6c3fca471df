import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { type Actors, createActors } from '#lib/controllers/actors.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { type OutsideRequest, VirtualOperator } from '#lib/foresight/cluster/virtual-operator.ts';
import type { HttpAnswer } from '#lib/kube/interface/http.ts';
import type { PassFailure } from '#lib/loop/context/context.ts';
import { VirtualClock } from '#lib/sim/world/step/clock.ts';
import { Asks } from './asks.ts';
import { nodesIn } from './nodes.ts';
import { type PlannedWrite, plannedWrite, Reasons } from './planned-write.ts';

/** Options for {@link futureOf}. */
export interface FutureOptions {
  readonly kinds: readonly AnyKindDefinition[];
  /** Epoch milliseconds. */
  readonly now: number;
  readonly allowedHosts?: readonly string[];
  readonly answer?: (request: OutsideRequest) => HttpAnswer | undefined;
  readonly signal?: AbortSignal;
  /** Called for every failed call of a kind's function. */
  readonly onFailure?: (failure: PassFailure) => void;
  /** Uids of owners that exist although they are not among the live objects. @default none */
  readonly elsewhere?: ReadonlySet<string>;
}

/**
 * Duration of the first writes, in milliseconds. They end when only time would cause another write. A status write may be delayed by
 * up to a quarter of a second, which this covers.
 */
export const FIRST_WRITES_MS = 300;

/** Writes and outside requests of an operator from now on, and the stored objects afterwards. */
export interface Future {
  readonly writes: readonly PlannedWrite[];
  readonly asks: readonly OutsideRequest[];
  readonly server: ApiServer;
}

/** The other actors of the cluster. A node that was unreachable stays unreachable in a plan. */
const othersOf = (server: ApiServer, now: () => number, elsewhere?: ReadonlySet<string>): Actors =>
  createActors({ server, now, nodes: nodesIn(server), nodeBackAfterMs: Infinity, ...(elsewhere && { elsewhere }) });

/** Runs the operator, and with a horizon all other actors, from a state. */
export const futureOf = async (
  state: ApiServer,
  options: FutureOptions,
  { untilMs, isAlone }: { untilMs: number; isAlone: boolean },
): Promise<Future> => {
  const { kinds, now, allowedHosts, answer, signal, elsewhere, onFailure } = options;
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
    ...(onFailure && { onFailure }),
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
