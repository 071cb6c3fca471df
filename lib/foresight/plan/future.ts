import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { type OutsideRequest, VirtualOperator } from '#lib/foresight/cluster/virtual-operator.ts';
import type { HttpAnswer } from '#lib/kube/http.ts';
import { createActors } from '#lib/sim/actors/actors.ts';
import type { ApiServer } from '#lib/sim/machinery/server.ts';
import { VirtualClock } from '#lib/sim/world/clock.ts';
import { type PlannedWrite, plannedWrite, Reasons } from './planned-write.ts';

/** Whose future it is, and when it begins. */
export interface FutureOptions {
  readonly kinds: readonly AnyKindDefinition[];
  /** Epoch milliseconds. */
  readonly now: number;
  readonly allowedHosts?: readonly string[];
  readonly answer?: (request: OutsideRequest) => HttpAnswer | undefined;
  readonly signal?: AbortSignal;
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

/** Where an address comes from a Secret its path may be one. */
const withoutPath = ({ method, url }: OutsideRequest): OutsideRequest => ({
  method,
  url: URL.parse(url)?.origin ?? '',
});

const nodesIn = (server: ApiServer): readonly { readonly name: string }[] => {
  const nodes = server.objects({ group: '', plural: 'nodes' }).map(({ metadata }) => metadata.name);
  const used = server
    .objects({ group: '', plural: 'pods' })
    .map((pod) => (pod['spec'] as { readonly nodeName?: string } | undefined)?.nodeName ?? '');
  const names = [...new Set([...nodes, ...used])].filter((name) => name !== '').toSorted();
  return (names.length === 0 ? ['node-1'] : names).map((name) => ({ name }));
};

/** Lets the operator, and with a horizon everybody else, go on from a state. */
export const futureOf = async (
  state: ApiServer,
  options: FutureOptions,
  { untilMs, isAlone }: { untilMs: number; isAlone: boolean },
): Promise<Future> => {
  const { kinds, now, allowedHosts, answer, signal } = options;
  const clock = new VirtualClock(now);
  const server = state.copy(() => clock.nowMs);
  const reasons = new Reasons();
  const writes: PlannedWrite[] = [];
  const asks: OutsideRequest[] = [];
  const actors = isAlone ? undefined : createActors({ server, now: () => clock.nowMs, nodes: nodesIn(server) });
  const operator = new VirtualOperator({
    kinds,
    server,
    clock,
    ...(actors && { actors: actors.actors }),
    ...(allowedHosts && { allowedHosts }),
    ...(answer && { answer }),
    ...(signal && { signal }),
    onDecision: (decision) => reasons.note(decision),
    onWrite: (write) => {
      const planned = plannedWrite(write, reasons, clock.elapsedMs);
      if (planned) writes.push(planned);
    },
    onOutside: (request) => void asks.push(withoutPath(request)),
  });
  try {
    await operator.start();
    await operator.run(untilMs);
  } finally {
    await operator.stop();
    actors?.close();
  }
  return { writes, asks, server };
};
