import { WEB } from '#test/company/monitoring/servers/web.ts';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { SHOP } from './cluster.ts';
import { applyAll } from './install.ts';
import type { Scene } from './scene.ts';
import type { Trial } from './trials.ts';

interface Rollout {
  readonly metadata: { readonly name: string; readonly generation: number };
  readonly status?: {
    readonly phase?: string;
    readonly observedGeneration?: number;
    readonly stableHash?: string;
    readonly analysis?: readonly { readonly message?: string; readonly count?: number }[];
    readonly conditions?: readonly { readonly reason: string; readonly message: string }[];
  };
}

const FIRST = 'web:first';

const manifest = ({ name, replicas, step }: Trial, image: string) => ({
  apiVersion: 'deploy.example.com/v1alpha1',
  kind: 'CanaryRollout',
  metadata: { name, namespace: SHOP },
  spec: {
    replicas,
    template: {
      metadata: { labels: WEB },
      spec: { containers: [{ name: 'web', image, ports: [{ name: 'http', containerPort: 8080 }] }] },
    },
    steps: [step],
  },
});

const rolloutsIn = async (plane: ControlPlane): Promise<ReadonlyMap<string, Rollout>> => {
  const path = `/apis/deploy.example.com/v1alpha1/namespaces/${SHOP}/canaryrollouts`;
  const { items } = (await plane.request<{ readonly items: readonly Rollout[] }>('GET', path)).body;
  return new Map(items.map((item) => [item.metadata.name, item]));
};

/** The phases of a rollout, from its status. */
interface Course {
  readonly trial: Trial;
  readonly messages: Set<string>;
  readonly stableBefore: string | undefined;
  ended?: { readonly phase: string; readonly afterMs: number; readonly stable: string | undefined };
}

const ENDINGS: ReadonlySet<string> = new Set(['Healthy', 'Degraded', 'Paused']);

const look = (course: Course, { metadata, status = {} }: Rollout, sinceMs: number): void => {
  const { phase = '', observedGeneration, analysis = [], conditions = [], stableHash } = status;
  if (observedGeneration !== metadata.generation) return;
  for (const { message = '' } of analysis) course.messages.add(message);
  for (const { reason, message } of conditions) course.messages.add(`${reason}: ${message}`);
  if (course.ended || !ENDINGS.has(phase)) return;
  // The operator has observed the edit, and has not started its rollout.
  if (phase === 'Healthy' && stableHash === course.stableBefore) return;
  course.ended = { phase, afterMs: Date.now() - sinceMs, stable: stableHash };
};

const faultOf = ({ trial, messages, stableBefore, ended }: Course): readonly string[] => {
  const all = [...messages].join('\n        ');
  if (!ended) return [`${trial.name} has not ended; its messages are\n        ${all}`];
  const isNew = ended.stable !== stableBefore;
  const faults = [
    ...(ended.phase === trial.ends ? [] : [`ended ${ended.phase} instead of ${trial.ends}`]),
    ...(isNew === (trial.ends === 'Healthy')
      ? []
      : [`its stable version is ${isNew ? 'another one' : 'that of before'}`]),
    ...trial.messages.filter((words) => !all.includes(words)).map((words) => `lacks the message "${words}"`),
  ];
  return faults.length === 0 ? [] : [`${trial.name}: ${faults.join(', ')}; its messages are\n        ${all}`];
};

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;

/** Longer than the longest sleep on docs/checks.md. */
const LIMIT_MS = 8 * 60_000;

/**
 * Rolls out a first version for each trial, then the version under test, all concurrently.
 *
 * @throws {Error} with the trials that did not end as expected, and their messages
 */
export const playTrials = async ({ plane, main }: Scene, trials: readonly Trial[]): Promise<string> => {
  await applyAll(
    plane,
    trials.map((trial) => manifest(trial, FIRST)),
  );
  await waitFor('all first versions to be there', async () => {
    const all = await rolloutsIn(plane);
    return trials.every(({ name }) => all.get(name)?.status?.phase === 'Healthy');
  });
  await waitFor('Prometheus to have scraped them twice', async () => {
    const [series] = await main.query('count(rate(http_requests_total[1m]))');
    return Number(series?.value[1] ?? 0) >= trials.length;
  });
  const before = await rolloutsIn(plane);
  const courses = trials.map((trial): Course => {
    return { trial, messages: new Set(), stableBefore: before.get(trial.name)?.status?.stableHash };
  });
  const since = Date.now();
  await applyAll(
    plane,
    trials.map((trial) => manifest(trial, trial.image)),
  );
  const isOver = async (): Promise<boolean> => {
    const all = await rolloutsIn(plane);
    for (const course of courses) {
      const rollout = all.get(course.trial.name);
      if (rollout) look(course, rollout, since);
    }
    return courses.every(({ ended }) => ended);
  };
  await waitFor('all rollouts to end', isOver, { timeoutMs: LIMIT_MS, pollMs: 500 }).catch(() => undefined);
  const faults = courses.flatMap(faultOf);
  if (faults.length > 0) throw new Error(faults.join('\n      '));
  return courses.map(({ trial, ended }) => `${trial.name} ${trial.ends} ${seconds(ended?.afterMs ?? 0)}`).join(', ');
};
