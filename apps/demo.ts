import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import { refOf } from '#lib/kind/names.ts';
import { Pod } from '#lib/kind/reference.ts';
import { createKubeClient } from '#lib/kube/client.ts';
import { loadCredentials } from '#lib/kube/credentials.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, startInstalledOperator, OPERATOR_USER as user } from '#test/control-plane/install.ts';
import { IMMORTAL_POD, playImmortalLife } from './demo/immortal-life.ts';
import { immortalLine, podLine, podSetLine, rolloutLine } from './demo/lines.ts';
import { playPodSetLife } from './demo/podset-life.ts';
import { playRolloutLife } from './demo/rollout-life.ts';
import { createScreen, type Screen } from './demo/screen.ts';
import type { Stage } from './demo/stage.ts';
import { type Followed, tellStory } from './demo/story.ts';
import { synthesize } from './demo/synthesize.ts';

const usage = `npm start [-- --keep]
  Synthesizes the install bundle, starts a Kubernetes control plane, installs the bundle, runs the operator under its
  own ServiceAccount and shows the lives of a PodSet, an ImmortalContainer and a CanaryRollout.
  --keep   leaves the control plane and the operator running until Ctrl-C`;

const summarize = async (plane: ControlPlane, screen: Screen): Promise<void> => {
  const entries = await plane.auditEntries({ user });
  const counts = Object.entries(await plane.auditCounts({ user })).map(
    ([what, count]) => `${count} × ${what.replace(`${user} `, '')}`,
  );
  const forbidden = entries.filter(({ code }) => code === 403).length;
  screen.text(
    `\nThe operator sent ${entries.length} requests, ${forbidden} of them forbidden:\n  ${counts.toSorted().join('\n  ')}`,
  );
};

const furtherCommands = `
Look further:
  npm start -- --keep              the same, and the cluster stays until Ctrl-C
  npm run control-plane            an empty control plane and its kubeconfig
  npm run operator                 the operator against your KUBECONFIG
  cat synth-out/operator.k8s.yaml  what was installed
  npm test                         everything, on a real control plane`;

const keepRunning = async (plane: ControlPlane, screen: Screen): Promise<void> => {
  screen.text(`\nStill running; in another terminal:\n  export KUBECONFIG=${plane.kubeconfig}`);
  screen.text(`  ${plane.access.kubectlProgram} get podsets,immortalcontainers,canaryrollouts,pods\nCtrl-C ends it.`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
};

/** One kind, what is told of it, and what happens to it. */
interface Life {
  readonly title: string;
  readonly followed: readonly Followed[];
  readonly play: (stage: Stage) => Promise<void>;
}

const isImmortal = (name: string): boolean => name === IMMORTAL_POD;

const lives: readonly Life[] = [
  {
    title: 'PodSet: a number of pods. It is scaled, and loses one.',
    followed: [
      { kind: Pod, lineOf: podLine },
      { kind: refOf(podSet), lineOf: podSetLine },
    ],
    play: playPodSetLife,
  },
  {
    title: 'ImmortalContainer: one pod that always comes back, and never twice. Its container is killed.',
    followed: [
      { kind: Pod, lineOf: podLine, isTold: isImmortal },
      { kind: refOf(immortalContainer), lineOf: immortalLine },
    ],
    play: playImmortalLife,
  },
  {
    title:
      'CanaryRollout: a new version comes by steps, here 25 % for 3 s and then all; four pods are ready all the time.',
    followed: [{ kind: refOf(canaryRollout), lineOf: rolloutLine }],
    play: playRolloutLife,
  },
];

const showLives = async (stage: Stage): Promise<void> => {
  const { plane, screen } = stage;
  const api = createKubeClient(await loadCredentials({ env: { KUBECONFIG: plane.kubeconfig } }));
  try {
    for (const { title, followed, play } of lives) {
      screen.title(title);
      await using story = await tellStory(api, stage, followed);
      await play(stage);
      await story.told();
    }
  } finally {
    await api.close();
  }
};

const demo = async (keep: boolean): Promise<void> => {
  const screen = createScreen(process.stdout);
  const namespace = 'default';
  const { bundle, remove } = await screen.phase(
    'cdk8s synth: one definition becomes CRD, RBAC and Deployment',
    synthesize,
  );
  await using plane = await screen.phase(
    'Kubernetes control plane (API server, controllers, scheduler, etcd, kwok)',
    startControlPlane,
  );
  await screen.phase('kubectl apply of the bundle', () => installBundle(plane, bundle));
  await remove();
  await using operator = await screen.phase('operator, under its own ServiceAccount token', () =>
    startInstalledOperator(plane),
  );
  await showLives({ plane, namespace, screen });
  await summarize(plane, screen);
  if (keep) await keepRunning(plane, screen);
  else screen.text(furtherCommands);
  const code = await operator.stop();
  if (code !== 0) throw new Error(`The operator ended with code ${code}: ${operator.errors()}`);
};

const optionsOf = (args: readonly string[]) => {
  const options = {
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  return parseArgs({ args: [...args], options }).values;
};

try {
  const { keep, help } = optionsOf(process.argv.slice(2));
  if (help) console.log(usage);
  else await demo(keep);
} catch (error) {
  // What went wrong is told in one line; where in our code it did, only to those who ask for it.
  console.error(`\n${process.env['DEBUG'] ? String((error as Error).stack) : String(error)}\n\n${usage}`);
  process.exitCode = 1;
}
