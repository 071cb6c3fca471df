import { setTimeout as sleep } from 'node:timers/promises';
import type { SoakSample, SoakSegment } from '#test/campaign/soak/segment.ts';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { createRandom, type Random } from '#test/differential/random.ts';
import { noFaults } from '#test/fault-proxy/plans.ts';
import {
  countResources,
  differentCaches,
  exceededBounds,
  missingEdits,
  missingWrites,
  processProblems,
  staleResources,
  summary,
  watchesOf,
  wrongWatches,
} from './checks.ts';
import { timetable } from './disturbances.ts';
import { createSoakDriver, type SoakDriver } from './driver.ts';
import { startPods } from './kubelet.ts';
import { AUDIT_SECONDS, type OperatorPair, type Replica, startOperatorPair, writesOf } from './operator-pair.ts';
import { sampleOf, thinned } from './samples.ts';

/** The size of a segment. */
export interface SegmentOptions {
  /** The number of the segment and the seed of its choices, from 1. */
  readonly segment: number;
  /** Minutes from the first creation to the begin of the last rest. */
  readonly minutes: number;
  readonly resources: number;
}

const NAMESPACES = 8;
const MOST_SAMPLES = 120;
const SAMPLE_MS = 30_000;
/** Requests that are waited for, such as of a pass after a delay of a failed pod. */
const CALM_MS = 20_000;
const SETTLE_MS = 30 * 60_000;
/** Longer than two audits of each cache, which are up to a tenth late. */
const REST_MS = 2.5 * AUDIT_SECONDS * 1000;
const REOPENING_MS = 10_000;
/** Time of a collection. */
const COLLECTION_MS = 2000;
/** Minutes in which each disturbance occurs once. */
const ROUND_MINUTES = 15;

interface Segment {
  readonly options: SegmentOptions;
  readonly plane: ControlPlane;
  readonly pair: OperatorPair;
  readonly driver: SoakDriver;
  readonly random: Random;
  readonly startedAt: number;
  readonly phases: { name: string; seconds: number }[];
  readonly failures: string[];
}

const secondsOf = ({ startedAt }: Segment): number => Math.round((performance.now() - startedAt) / 1000);

const begin = (segment: Segment, name: string): void => void segment.phases.push({ name, seconds: secondsOf(segment) });

/** Starts all pods until the operators have sent no write for a while. */
const settle = async ({ plane, pair, driver }: Segment): Promise<void> => {
  pair.forgetRequests();
  let calmSince = performance.now();
  await waitFor(
    'the operators to be at rest',
    async () => {
      let started = 0;
      for (const namespace of driver.namespaces) started += await startPods(plane, namespace);
      const writes = pair.replicas.flatMap((replica) => writesOf(replica)).length;
      pair.forgetRequests();
      if (started + writes > 0) calmSince = performance.now();
      return performance.now() - calmSince > CALM_MS;
    },
    { timeoutMs: SETTLE_MS, pollMs: 1000 },
  );
};

/** Measures the leader without garbage. On a busy machine, the leader can lose its lease meanwhile. */
const measureAtRest = async ({ pair, startedAt }: Segment): Promise<SoakSample> => {
  let sample: SoakSample | undefined;
  const measure = async (): Promise<boolean> => {
    const leader = await pair.leader();
    // A finalizer frees what the first collection has found.
    for (const _ of ['first', 'second']) {
      await leader.setClock(0);
      await sleep(COLLECTION_MS);
    }
    sample = await sampleOf(leader, startedAt).catch(() => undefined);
    return sample !== undefined && (await pair.leader()) === leader;
  };
  await waitFor('the leader to be measured', measure);
  return sample as SoakSample;
};

/** Samples the leader until the returned function is called. */
const startSampling = (segment: Segment): (() => Promise<readonly SoakSample[]>) => {
  const everyMs = Math.min(SAMPLE_MS, (segment.options.minutes * 60_000) / MOST_SAMPLES);
  const over = new AbortController();
  const samples: SoakSample[] = [];
  const run = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const sampled = async () => sampleOf(await segment.pair.leader(), segment.startedAt);
      // A leader that is frozen, or that starts, does not answer.
      const sample = await sampled().catch(() => undefined);
      if (sample) samples.push(sample);
      await sleep(everyMs);
    }
  };
  const running = run();
  return async () => {
    over.abort();
    await running;
    return thinned(samples, MOST_SAMPLES);
  };
};

/** Strikes by the timetable, while the driver works. @returns the number of disturbances by name */
const disturb = async (segment: Segment): Promise<Readonly<Record<string, number>>> => {
  const { plane, pair, driver, random, options } = segment;
  const counts: Record<string, number> = {};
  const beganAt = performance.now();
  const lastMs = options.minutes * 60_000 - (beganAt - segment.startedAt);
  const rounds = Math.max(1, Math.round(options.minutes / ROUND_MINUTES));
  const stop = driver.keepChanging();
  try {
    for (const { at, disturbance } of timetable(rounds, random)) {
      await sleep(Math.max(0, beganAt + at * lastMs - performance.now()));
      process.stdout.write(`${secondsOf(segment)} s: ${disturbance.name}\n`);
      await disturbance.strike({ plane, pair, random });
      counts[disturbance.name] = (counts[disturbance.name] ?? 0) + 1;
      if (disturbance.endsLeader) begin(segment, disturbance.name);
    }
    await sleep(Math.max(0, beganAt + lastMs - performance.now()));
  } finally {
    await stop();
    pair.use(noFaults);
  }
  return counts;
};

/** Lists the caches of which a replica sent no list: an audit lists the metadata of all objects. */
const unauditedCaches = (replica: Replica, watches: readonly string[]): readonly string[] => {
  const lists = new Set(
    replica
      .requests()
      .filter(({ verb }) => verb === 'list')
      .map(({ resource, group, namespace }) => [resource, group, namespace].filter(Boolean).join('.')),
  );
  return watches.filter((name) => !lists.has(name)).map((name) => `${replica.name} did not audit ${name}`);
};

type Watches = ReadonlyMap<Replica, readonly string[]>;

interface LastRest {
  readonly lastRest: SoakSample;
  readonly drift: number;
  readonly writesAtRest: number;
}

const rest = async (segment: Segment, first: SoakSample, watches: Watches): Promise<LastRest> => {
  const { plane, pair, driver, failures } = segment;
  pair.forgetRequests();
  await sleep(REST_MS);
  const leader = await pair.leader();
  const writes = pair.replicas.flatMap((replica) =>
    writesOf(replica).map(({ verb, resource, namespace, name }) => `${verb} ${resource} ${namespace}/${name}`),
  );
  failures.push(...summary('writes at rest', writes));
  failures.push(...summary('caches without an audit', unauditedCaches(leader, watches.get(leader) ?? [])));
  const different: string[] = [];
  for (const replica of pair.replicas) different.push(...(await differentCaches(plane, replica)));
  failures.push(...summary('caches differ', different));
  failures.push(...summary('resources are not up to date', await staleResources(plane)));
  failures.push(...summary('writes are missing', await missingWrites(plane, driver.namespaces)));
  const wrong = (): readonly string[] =>
    pair.replicas.flatMap((replica) => wrongWatches(replica, watches.get(replica) ?? []));
  // A watch that has reached its agreed end is opened again at once. At this moment it is missing.
  await waitFor('the watches of the first rest', async () => !wrong().some((text) => text.includes('missing')), {
    timeoutMs: REOPENING_MS,
  }).catch(() => undefined);
  failures.push(...wrong());
  const lastRest = await measureAtRest(segment);
  failures.push(...exceededBounds(first, lastRest), ...processProblems(pair));
  return { lastRest, drift: pair.repairs() + different.length, writesAtRest: writes.length };
};

/** The messages of warnings and errors in the logs, with their numbers. */
const loggedProblems = ({ processes }: OperatorPair): ReadonlyMap<string, number> => {
  const problems = processes.flatMap(({ log }) => log).filter(({ level }) => level !== 'info');
  return new Map(
    [...Map.groupBy(problems, ({ level, msg }) => `${level}: ${msg}`)].map(([key, all]) => [key, all.length]),
  );
};

const runPhases = async (segment: Segment): Promise<SoakSegment> => {
  const { plane, pair, driver, options } = segment;
  begin(segment, 'creations');
  const endSampling = startSampling(segment);
  await driver.createAll();
  await settle(segment);
  begin(segment, 'first rest');
  const firstRest = await measureAtRest(segment);
  const watches: Watches = new Map(pair.replicas.map((replica) => [replica, watchesOf(replica)]));
  begin(segment, 'disturbances');
  const counts = await disturb(segment);
  // Clocks are right again, so delays end as they should.
  for (const replica of pair.replicas) await replica.setClock(0);
  begin(segment, 'last rest');
  await driver.createMissing();
  await settle(segment);
  const atEnd = await rest(segment, firstRest, watches);
  segment.failures.push(...missingEdits(driver.edits(), options.minutes));
  const samples = await endSampling();
  process.stdout.write(`${JSON.stringify(Object.fromEntries(loggedProblems(pair)))}\n`);
  return {
    segment: options.segment,
    minutes: Math.round(secondsOf(segment) / 6) / 10,
    resources: await countResources(plane),
    requests: driver.requests(),
    edits: driver.edits(),
    disturbances: counts,
    ends: Object.fromEntries(pair.ends),
    firstRest,
    ...atEnd,
    samples,
    phases: segment.phases,
    failures: segment.failures,
  };
};

/** Runs a segment on a plane on which the bundle is installed. */
export const runSegment = async (plane: ControlPlane, options: SegmentOptions): Promise<SoakSegment> => {
  const random = createRandom(options.segment);
  const namespaces: string[] = [];
  for (let count = 0; count < NAMESPACES; count += 1) namespaces.push(await plane.createNamespace('soak'));
  await using pair = await startOperatorPair(plane);
  const driver = createSoakDriver(plane, { count: options.resources, namespaces, random });
  // Choices of the driver depend on the speed of the machine; those of the timetable must not.
  const order = createRandom(-options.segment);
  const startedAt = performance.now();
  // Without `await`, the pair would be stopped at once.
  return await runPhases({ options, plane, pair, driver, random: order, startedAt, phases: [], failures: [] });
};
