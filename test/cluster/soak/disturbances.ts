import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, OPERATOR } from '#test/control-plane/install.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import type { Random } from '#test/differential/random.ts';
import type { Fault } from '#test/fault-proxy/fault.ts';
import { noFaults, seeded } from '#test/fault-proxy/plans.ts';
import { type OperatorPair, SOAK_LEASE_SECONDS } from './operator-pair.ts';

/** The cluster of a soak. */
export interface SoakStage {
  readonly plane: ControlPlane;
  readonly pair: OperatorPair;
  readonly random: Random;
}

/** Something that happens to the cluster or to the operator. */
export interface Disturbance {
  readonly name: string;
  /** Whether it ends the process that leads. */
  readonly endsLeader: boolean;
  readonly strike: (stage: SoakStage) => Promise<void>;
}

const kubectl = async (plane: ControlPlane, ...args: readonly string[]): Promise<void> => {
  const { code, stderr } = await plane.kubectl(args);
  if (code !== 0) throw new Error(`Cannot kubectl ${args.join(' ')}: ${stderr}`);
};

const BURST_MS = 10_000;

const errors: readonly Fault[] = [
  { fault: 'answer', code: 500 },
  { fault: 'answer', code: 503 },
  { fault: 'answer', code: 429, retryAfterSeconds: 1 },
  { fault: 'answer', code: 409 },
  { fault: 'dropBefore' },
  { fault: 'dropAfter' },
];
const delays: readonly Fault[] = [
  { fault: 'delay', ms: 500 },
  { fault: 'delay', ms: 5000 },
  { fault: 'holdEvents', ms: 2000 },
];

/** The lease is excepted: elections have disturbances of their own. */
const burst = async ({ pair, random }: SoakStage, faults: readonly Fault[], chance: number): Promise<void> => {
  const plan = seeded({ seed: random.int(1_000_000), chance, faults });
  pair.use((call) => (call.resource === 'leases' ? undefined : plan(call)));
  await sleep(BURST_MS);
  pair.use(noFaults);
};

const onLeader =
  (signal: NodeJS.Signals): Disturbance['strike'] =>
  async ({ pair }) =>
    (await pair.leader()).signal(signal);

const MOST_STEP_MS = 120_000;

/** A column more, and the bundle again: each time, the API server ends the watches of the kind. */
const applyDefinitions = async ({ plane, random }: SoakStage): Promise<void> => {
  const crd = random.pick(['podsets.app.example.com', 'immortalcontainers.immortalcontainer.flugel.it']);
  const column = { name: `Soak${random.int(1000)}`, type: 'string', jsonPath: '.metadata.name' };
  const path = '/spec/versions/0/additionalPrinterColumns/-';
  await kubectl(plane, 'patch', 'crd', crd, '--type=json', '-p', JSON.stringify([{ op: 'add', path, value: column }]));
  await installBundle(plane);
};

/** All disturbances. Each resolves when the cluster is well again; the operator may still be busy with the consequences. */
export const disturbances: readonly Disturbance[] = [
  { name: 'leader killed', endsLeader: true, strike: onLeader('SIGKILL') },
  { name: 'leader stopped', endsLeader: true, strike: onLeader('SIGTERM') },
  {
    name: 'leader frozen',
    endsLeader: true,
    strike: async ({ pair }) => {
      const frozen = await pair.leader();
      frozen.signal('SIGSTOP');
      try {
        await waitFor('the standby to lead', async () => (await pair.leader()) !== frozen, { pollMs: 500 });
        await sleep((SOAK_LEASE_SECONDS * 1000) / 4);
      } finally {
        frozen.signal('SIGCONT');
      }
    },
  },
  {
    name: 'standby killed',
    endsLeader: false,
    strike: async ({ pair }) => {
      const leader = await pair.leader();
      for (const replica of pair.replicas) if (replica !== leader) replica.signal('SIGKILL');
    },
  },
  {
    name: 'wall clock stepped',
    endsLeader: false,
    strike: async ({ pair, random }) => {
      await (await pair.leader()).setClock(random.int(2 * MOST_STEP_MS) - MOST_STEP_MS);
    },
  },
  { name: 'API server stopped', endsLeader: false, strike: ({ plane }) => plane.restart('kube-apiserver') },
  {
    name: 'API server killed',
    endsLeader: false,
    strike: ({ plane }) => plane.restart('kube-apiserver', { signal: 'SIGKILL' }),
  },
  {
    name: 'history compacted while the API server was down',
    endsLeader: false,
    strike: ({ plane }) => plane.restart('kube-apiserver', { whileDown: () => plane.compactHistory() }),
  },
  { name: 'history compacted', endsLeader: false, strike: ({ plane }) => plane.compactHistory() },
  { name: 'etcd killed', endsLeader: false, strike: ({ plane }) => plane.restart('etcd', { signal: 'SIGKILL' }) },
  { name: 'token rotated', endsLeader: false, strike: ({ pair }) => pair.rotateToken() },
  {
    name: 'ServiceAccount created again',
    endsLeader: false,
    strike: async ({ plane, pair }) => {
      await kubectl(plane, '-n', OPERATOR, 'delete', 'serviceaccount', OPERATOR);
      await installBundle(plane);
      await pair.rotateToken();
    },
  },
  { name: 'definitions applied again', endsLeader: false, strike: applyDefinitions },
  {
    name: 'connections cut',
    endsLeader: false,
    strike: async ({ pair }) => {
      for (const { proxy } of pair.replicas) proxy.cutConnections();
    },
  },
  {
    name: 'watches half open',
    endsLeader: false,
    strike: async ({ pair }) => {
      for (const { proxy } of pair.replicas) for (const stream of proxy.streams()) stream.silence();
    },
  },
  {
    name: 'watches expired',
    endsLeader: false,
    strike: async ({ pair }) => {
      for (const { proxy } of pair.replicas) for (const stream of proxy.streams()) stream.expire();
    },
  },
  { name: 'errors and lost responses', endsLeader: false, strike: (stage) => burst(stage, errors, 0.3) },
  { name: 'late responses and events', endsLeader: false, strike: (stage) => burst(stage, delays, 0.5) },
];

/** A disturbance and its time. */
export interface Appointment {
  readonly disturbance: Disturbance;
  /** Part of the disturbed time, from 0 to 1. */
  readonly at: number;
}

/** The leader ends in the first part only, so that the last leader has a history when its memory is judged. */
const LEADERS_END = 0.4;

const shuffled = <T>(items: readonly T[], random: Random): readonly T[] => {
  const left = [...items];
  return items.map(() => left.splice(random.int(left.length), 1)[0] as T);
};

const spread = (
  all: readonly Disturbance[],
  { from, to, random }: { readonly from: number; readonly to: number; readonly random: Random },
): readonly Appointment[] =>
  shuffled(all, random).map((disturbance, index) => ({
    disturbance,
    at: from + ((to - from) * (index + random.int(100) / 100)) / all.length,
  }));

/**
 * A random order in which each disturbance occurs.
 *
 * @param rounds - how often the disturbances that do not end the leader occur, from 1
 */
export const timetable = (rounds: number, random: Random): readonly Appointment[] => {
  const rest = disturbances.filter(({ endsLeader }) => !endsLeader);
  const late = Array.from({ length: rounds - 1 }, () => rest).flat();
  return [
    ...spread(disturbances, { from: 0, to: LEADERS_END, random }),
    ...spread(late, { from: LEADERS_END, to: 1, random }),
  ];
};
