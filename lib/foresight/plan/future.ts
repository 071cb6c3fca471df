import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { type Actors, createActors } from '#lib/controllers/actors.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { type OutsideRequest, VirtualOperator } from '#lib/foresight/cluster/virtual-operator.ts';
import type { HttpAnswer } from '#lib/kube/interface/http.ts';
import type { PassFailure } from '#lib/loop/context/hooks.ts';
import { VirtualClock } from '#lib/sim/world/step/clock.ts';
import { Asks } from './asks.ts';
import { nodesIn } from './nodes.ts';
import { type PlannedWrite, plannedWrite, Reasons } from './planned-write.ts';

/** Receives the course of a future. It must not change the server or its objects. */
export interface FutureObserver {
  /**
   * Called with the server before the changes, and again with a copy of the server before the operator starts.
   *
   * @param now - returns the time of the server, in epoch milliseconds
   */
  begins(server: ApiServer, now: () => number): void;
  /** Called after each write of the operator. */
  wrote(write: PlannedWrite): void;
}

/** Options for {@link futureOf}. */
export interface FutureOptions {
  readonly kinds: readonly AnyKindDefinition[];
  /** The namespace of the operator. @default unknown */
  readonly ownNamespace?: string | undefined;
  /** The current time in epoch milliseconds. */
  readonly now: number;
  readonly allowedHosts?: readonly string[];
  readonly answer?: (request: OutsideRequest) => HttpAnswer | undefined;
  readonly signal?: AbortSignal;
  /** Called for every failed call of a kind's function, and every failed pass. */
  readonly onFailure?: (failure: PassFailure) => void;
  /** Uids of owners that may exist although they are not among the live objects. @default none */
  readonly elsewhere?: ReadonlySet<string>;
  /** @default none */
  readonly observer?: FutureObserver | undefined;
}

/** Virtual time of the first writes, in milliseconds. The time includes the delay of status writes, which is up to 250 ms. */
export const FIRST_WRITES_MS = 300;

/** The writes of an operator, the HTTP requests of its effects, and a server with the objects after the writes. */
export interface Future {
  readonly writes: readonly PlannedWrite[];
  readonly asks: readonly OutsideRequest[];
  readonly server: ApiServer;
}

/** The controllers and kubelets of the cluster. An unreachable node stays unreachable. */
const othersOf = (server: ApiServer, now: () => number, elsewhere?: ReadonlySet<string>): Actors =>
  createActors({ server, now, nodes: nodesIn(server), nodeBackAfterMs: Infinity, ...(elsewhere && { elsewhere }) });

/** Runs the operator on a copy of a state until a time. Unless `isAlone` is true, the controllers and kubelets run, too. */
export const futureOf = async (
  state: ApiServer,
  options: FutureOptions,
  { untilMs, isAlone }: { untilMs: number; isAlone: boolean },
): Promise<Future> => {
  const { kinds, ownNamespace, now, allowedHosts, answer, signal, elsewhere, onFailure, observer } = options;
  const clock = new VirtualClock(now);
  const server = state.copy(() => clock.nowMs);
  observer?.begins(server, () => clock.nowMs);
  const reasons = new Reasons();
  const writes: PlannedWrite[] = [];
  const asks = new Asks(allowedHosts);
  const actors = isAlone ? undefined : othersOf(server, () => clock.nowMs, elsewhere);
  const operator = new VirtualOperator({
    kinds,
    ownNamespace,
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
      if (planned === undefined) return;
      writes.push(planned);
      observer?.wrote(planned);
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
