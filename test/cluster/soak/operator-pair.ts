import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleOperator } from '#apps/bundle.ts';
import { mountToken, podEnvironment, preloading } from '#test/bench/ground/as-in-pod.ts';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { OPERATOR_LEASE } from '#test/control-plane/install.ts';
import { leaseHolder } from '#test/control-plane/lease-holder.ts';
import { type OperatorProcess, spawnOperator } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { tryKill } from '#test/control-plane/process.ts';
import { type Call, isMutating } from '#test/fault-proxy/call.ts';
import type { FaultPlan } from '#test/fault-proxy/fault.ts';
import { behindOf, type FaultProxy, startFaultProxy } from '#test/fault-proxy/proxy.ts';

/** One of the two replicas of the operator. A supervisor starts its process again, as a kubelet does. */
export interface Replica {
  readonly name: string;
  readonly proxy: FaultProxy;
  readonly process: () => OperatorProcess;
  /** Requests through its proxy since the last call of {@link OperatorPair.forgetRequests}. */
  readonly requests: () => readonly Call[];
  /** The queries of its watches, by the path of the collection. */
  readonly queries: ReadonlyMap<string, string>;
  /** Sends a signal; an end by this signal is expected. */
  readonly signal: (name: NodeJS.Signals) => void;
  /** Sets the wall clock of its process to a difference from that of the machine, and collects its garbage. */
  readonly setClock: (offsetMs: number) => Promise<void>;
}

/** Two replicas of the installed operator, each behind a fault proxy of its own. */
export interface OperatorPair extends AsyncDisposable {
  readonly replicas: readonly Replica[];
  /** The replica that holds the lease. @throws {ControlPlaneError} NOT_READY when none gets it */
  readonly leader: () => Promise<Replica>;
  readonly use: (plan: FaultPlan) => void;
  readonly forgetRequests: () => void;
  /** Mounts a new token of the current ServiceAccount. */
  readonly rotateToken: () => Promise<void>;
  /** Number of ends of processes, by reason. */
  readonly ends: ReadonlyMap<string, number>;
  /** The processes so far. */
  readonly processes: readonly OperatorProcess[];
  /** Objects that audits have repaired in the caches. */
  readonly repairs: () => number;
  /** Ends of processes that no disturbance explains. */
  readonly unexpectedEnds: readonly string[];
}

/** Seconds. Restarts of the API server on a busy machine take less, so they cause few elections. */
export const SOAK_LEASE_SECONDS = 30;

/** The shortest time between two audits of a cache that the operator accepts. */
export const AUDIT_SECONDS = 60;

const RESTART_MS = 1000;

const REPAIR = 'the cache differed from the API server and was repaired';

interface Ends {
  readonly counts: Map<string, number>;
  readonly unexpected: string[];
}

const counted = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

const lastErrorOf = ({ log, errors }: OperatorProcess): string =>
  (log.at(-1)?.['error'] as { message?: string } | undefined)?.message ?? `${log.at(-1)?.msg} ${errors()}`.trim();

const hasStarted = ({ log }: OperatorProcess): boolean => log.some(({ msg }) => msg === 'operator started');

/** Explains the end of a process. A lease that is lost while the API server is down or the process is frozen is no failure. */
const recordEnd = (name: string, process: OperatorProcess, { code, asked }: Ended, ends: Ends): void => {
  const message = lastErrorOf(process);
  if (asked !== undefined && (code === null || code === 0)) return counted(ends.counts, asked);
  if (code === 1 && message.startsWith('Lost the lease')) return counted(ends.counts, 'lost lease');
  counted(ends.counts, `code ${code}`);
  ends.unexpected.push(`${name} ended with code ${code}: ${message}`);
};

interface Ended {
  readonly code: number | null;
  readonly asked: NodeJS.Signals | undefined;
}

interface Supervised {
  readonly ends: Ends;
  readonly start: () => OperatorProcess;
  readonly isOver: () => boolean;
}

/** Keeps one process running until the end. */
const supervise = (name: string, { start, ends, isOver }: Supervised) => {
  const state = { process: start(), asked: undefined as NodeJS.Signals | undefined };
  const run = async (): Promise<void> => {
    for (;;) {
      const code = await state.process.exited;
      if (isOver()) return;
      recordEnd(name, state.process, { code, asked: state.asked }, ends);
      state.asked = undefined;
      await sleep(RESTART_MS);
      if (isOver()) return;
      state.process = start();
    }
  };
  return { state, ended: run() };
};

interface ReplicaOptions extends Omit<Supervised, 'start'> {
  readonly processes: OperatorProcess[];
  readonly plane: ControlPlane;
  readonly entryPoint: string;
  readonly name: string;
}

const startReplica = async ({ plane, entryPoint, name, processes, ...rest }: ReplicaOptions) => {
  const queries = new Map<string, string>();
  const rewrite = (target: string): string => {
    const { pathname, searchParams } = new URL(target, plane.url);
    const selectors = ['labelSelector', 'fieldSelector'].flatMap((key) =>
      searchParams.has(key) ? [`${key}=${encodeURIComponent(searchParams.get(key) ?? '')}`] : [],
    );
    if (searchParams.has('watch')) queries.set(pathname, selectors.join('&'));
    return target;
  };
  const proxy = await startFaultProxy(behindOf(plane), { rewrite });
  const clockFile = join(plane.access.folder, `${name}.clock`);
  const inPod = await podEnvironment(plane, proxy.url);
  const env = {
    ...inPod,
    NODE_OPTIONS: `${inPod['NODE_OPTIONS']} ${preloading(plane, 'stepped-clock')}`,
    STEPPED_CLOCK_FILE: clockFile,
    POD_NAME: name,
    LEASE_DURATION_SECONDS: String(SOAK_LEASE_SECONDS),
    RESYNC_SECONDS: String(AUDIT_SECONDS),
  };
  const start = (): OperatorProcess => {
    const operator = spawnOperator({ kubeconfig: '', entryPoint, env });
    processes.push(operator);
    return operator;
  };
  const { state, ended } = supervise(name, { ...rest, start });
  const marker = { first: 0 };
  const signal = (which: NodeJS.Signals): void => {
    if (which === 'SIGKILL' || which === 'SIGTERM') state.asked = which;
    // A process that has just ended starts again.
    tryKill(state.process.pid, which);
  };
  const replica: Replica = {
    name,
    proxy,
    queries,
    process: () => state.process,
    requests: () => proxy.decisions.slice(marker.first).map(({ call }) => call),
    signal,
    setClock: async (offsetMs) => {
      await writeFile(clockFile, String(offsetMs));
      // Before, the signal would end the process; it reads the file at its start.
      if (hasStarted(state.process)) signal('SIGUSR2');
    },
  };
  return { replica, ended, forget: () => void (marker.first = proxy.decisions.length) };
};

/**
 * The resources whose writes do not count. The lease is renewed all the time. The count of a repeated event is written some minutes
 * after its last occurrence.
 */
const uncounted: ReadonlySet<string> = new Set(['leases', 'events']);

/** The requests of a replica that may have changed something, without those for leases and events. */
export const writesOf = (replica: Replica): readonly Call[] =>
  replica.requests().filter((call) => isMutating(call) && !uncounted.has(call.resource));

/**
 * Starts two replicas of the bundled operator. The bundle must be installed.
 *
 * Assumptions: one pair per plane.
 */
export const startOperatorPair = async (plane: ControlPlane): Promise<OperatorPair> => {
  const state = { isOver: false };
  const ends: Ends = { counts: new Map(), unexpected: [] };
  const processes: OperatorProcess[] = [];
  const folder = join(plane.access.folder, 'bundled');
  await bundleOperator(folder);
  const options = { plane, entryPoint: join(folder, 'operator.mjs'), processes, ends, isOver: () => state.isOver };
  // One after the other: both write the same mounted files.
  const started = [
    await startReplica({ ...options, name: 'replica-a' }),
    await startReplica({ ...options, name: 'replica-b' }),
  ];
  const replicas = started.map(({ replica }) => replica);
  return {
    replicas,
    leader: async () => {
      let found: Replica | undefined;
      await waitFor(
        'a leader',
        async () => {
          const holder = await leaseHolder(plane, OPERATOR_LEASE).catch(() => undefined);
          found = replicas.find(({ name }) => holder?.startsWith(`${name}_`));
          return found !== undefined;
        },
        { pollMs: 200 },
      );
      return found as Replica;
    },
    use: (plan) => {
      for (const { proxy } of replicas) proxy.use(plan);
    },
    forgetRequests: () => {
      for (const { forget } of started) forget();
    },
    rotateToken: () => mountToken(plane),
    ends: ends.counts,
    unexpectedEnds: ends.unexpected,
    processes,
    repairs: () =>
      processes
        .flatMap(({ log }) => log)
        .filter(({ msg }) => msg === REPAIR)
        .reduce((sum, { count }) => sum + Number(count), 0),
    [Symbol.asyncDispose]: async () => {
      state.isOver = true;
      for (const replica of replicas) replica.signal('SIGKILL');
      for (const { ended } of started) await ended;
      for (const { proxy } of replicas) await proxy.stop();
    },
  };
};
