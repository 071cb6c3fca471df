import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { createKubeClient } from '#lib/kube/client.ts';
import { loadCredentials } from '#lib/kube/credentials.ts';
import { type ControlPlane, startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle, startInstalledOperator, OPERATOR_USER as user } from '#test/control-plane/install.ts';
import { playPodSetLife, type Stage } from './demo/podset-life.ts';
import { createScreen, type Screen } from './demo/screen.ts';
import { tellStory } from './demo/story.ts';
import { synthesize } from './demo/synthesize.ts';

const usage = `npm start [-- --keep]
  Synthesizes the install bundle, starts a Kubernetes control plane, installs the bundle, runs the operator under its
  own ServiceAccount and shows the life of a PodSet.
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
  screen.text(`  ${plane.access.kubectlProgram} get podsets,pods\nCtrl-C ends it.`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
};

const showLife = async (stage: Stage): Promise<void> => {
  const { plane, namespace, screen } = stage;
  const api = createKubeClient(await loadCredentials({ env: { KUBECONFIG: plane.kubeconfig } }));
  try {
    await using story = await tellStory(api, namespace, screen);
    await playPodSetLife(stage);
    await story.told();
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
  await showLife({ plane, namespace, screen });
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
