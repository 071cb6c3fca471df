import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { OPERATOR_USER } from '#test/control-plane/install.ts';
import { type Access, accessTo } from './demo/cluster/access.ts';
import { type ClusterName, clusterNames, clusterTitles, type DemoCluster } from './demo/cluster/cluster.ts';
import { install } from './demo/cluster/install.ts';
import { prepareNamespace } from './demo/cluster/namespace.ts';
import { runOperator } from './demo/cluster/operator.ts';
import { IMMORTAL_POD, playImmortalLife } from './demo/immortal-life.ts';
import { Interrupted, untilInterrupted } from './demo/interruption.ts';
import { immortalLine, podLine, podSetLine, rolloutLine } from './demo/lines.ts';
import { playPodSetLife } from './demo/podset-life.ts';
import { requestLines } from './demo/requests.ts';
import { playRolloutLife } from './demo/rollout-life.ts';
import { createScreen, type Screen } from './demo/screen.ts';
import type { Stage } from './demo/stage.ts';
import { type Followed, tellStory } from './demo/story.ts';
import { synthesize } from './demo/synthesize.ts';

const usage = `npm start [-- --cluster embedded|real|current] [-- --keep]
  Synthesizes the install bundle, starts a cluster, installs the bundle, runs the operator under its own ServiceAccount
  and shows the lives of a PodSet, an ImmortalContainer and a CanaryRollout.
  --cluster embedded   a cluster in this process, over HTTPS (default)
  --cluster real       a real control plane, built from its Go modules the first time (needs Go 1.26)
  --cluster current    the cluster of your kubeconfig; needs --yes, or --yes=<context> to agree to that context alone,
                       and removes in the end what it has created
  --keep               leaves cluster and operator running until Ctrl-C`;

/** A kind, its displayed objects, and its story. */
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
    title: 'ImmortalContainer: one pod that always comes back, and never twice. It is lost once.',
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

/** Only what is asked for is loaded: neither Go nor a kubeconfig is needed for the others. */
const starters: Readonly<Record<ClusterName, (context?: string) => Promise<DemoCluster>>> = {
  embedded: async () => (await import('./demo/cluster/embedded.ts')).startEmbedded(),
  real: async () => (await import('./demo/cluster/real.ts')).startRealCluster(),
  current: async (context) => (await import('./demo/cluster/current.ts')).useCurrentCluster(context),
};

const showLives = async (stage: Stage): Promise<void> => {
  for (const { title, followed, play } of lives) {
    stage.screen.title(title);
    await using story = await tellStory(stage, followed);
    await play(stage);
    await story.told();
  }
};

const summarize = async (cluster: DemoCluster, screen: Screen): Promise<void> => {
  const sent = await cluster.requestsOf(OPERATOR_USER);
  if (sent === undefined) return;
  const forbidden = sent.filter(({ code }) => code === 403).length;
  screen.text(
    `\nThe operator sent ${sent.length} requests, ${forbidden} of them forbidden:\n  ${requestLines(sent).join('\n  ')}`,
  );
};

const furtherCommands = `
Look further:
  npm start -- --keep              the same, and the cluster stays until Ctrl-C
  npm start -- --cluster real      the same on a real control plane
  npm run operator                 the operator against your KUBECONFIG
  cat synth-out/operator.k8s.yaml  what was installed
  npm test                         everything`;

const keepRunning = async ({ kubeconfig }: DemoCluster, { screen, namespace, ended }: Stage): Promise<void> => {
  screen.text(`\nStill running; in another terminal:\n  export KUBECONFIG=${kubeconfig}`);
  screen.text(`  kubectl -n ${namespace} get podsets,immortalcontainers,canaryrollouts,pods\nCtrl-C ends it.`);
  await once(ended, 'abort');
};

/** Lists the objects that a second Ctrl-C leaves behind. */
const giveUp = (access: Access | undefined, code: number): void => {
  const commands = [...(access?.standing ?? [])].toReversed();
  if (commands.length > 0) {
    const lines = commands.map((command) => `  ${command}`).join('\n');
    console.error(`\nEnded at once. Some of what was created is still in the cluster; remove it:\n${lines}`);
  }
  process.exit(code);
};

const rejectedBy = async (signal: AbortSignal): Promise<never> => {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
};

interface Options {
  readonly cluster: ClusterName;
  /** The context that was agreed to. */
  readonly context: string | undefined;
  readonly keep: boolean;
}

const demo = async ({ cluster: name, context, keep }: Options): Promise<void> => {
  const screen = createScreen(process.stdout);
  let opened: Access | undefined;
  const ended = untilInterrupted((code) => giveUp(opened, code));
  // Looked at before a phase begins: what a phase has made is known, and taken away, only when it is over.
  const phase = async <T>(title: string, work: () => Promise<T>): Promise<T> => {
    ended.throwIfAborted();
    try {
      return await screen.phase(title, work);
    } catch (error) {
      // Ctrl-C reaches the operator, too: that it ended is no news then.
      ended.throwIfAborted();
      throw error;
    }
  };
  await using cluster = await phase(clusterTitles[name], () => starters[name](context));
  await using bundle = await phase('cdk8s synth: one definition becomes CRD, RBAC and Deployment', synthesize);
  await using access = await accessTo(cluster.kubeconfig);
  if (!cluster.isOurs) opened = access;
  if (!cluster.isOurs) screen.text(`This changes ${access.credentials.server} (${access.credentials.source})`);
  await using installed = new AsyncDisposableStack();
  installed.use(await phase('the bundle is installed', () => install(access, bundle.path, cluster)));
  await using namespace = await prepareNamespace(access, cluster);
  await using operator = await phase('operator, under its own ServiceAccount token', () => runOperator(access));
  const stage = { access, screen, namespace: namespace.name, hasKubelets: cluster.hasKubelets, ended };
  await Promise.race([showLives(stage), rejectedBy(ended)]);
  await summarize(cluster, screen);
  if (keep) await keepRunning(cluster, stage);
  else screen.text(furtherCommands);
  await operator.stop();
};

const clusterOf = (value: string): ClusterName => {
  const found = clusterNames.find((name) => name === value);
  if (found !== undefined) return found;
  throw new ConfigurationError(`Cannot run on cluster "${value}": expected ${clusterNames.join(', ')}\n\n${usage}`);
};

/** `--yes=<context>`: a flag that may have a value, which `parseArgs` does not know. */
const YES = /^--yes=(.+)$/;

const optionsOf = (args: readonly string[]) => {
  const options = {
    cluster: { type: 'string', default: 'embedded' },
    yes: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  const [context] = args.flatMap((arg) => YES.exec(arg)?.[1] ?? []);
  const plain = args.map((arg) => (YES.test(arg) ? '--yes' : arg));
  const { cluster: name, yes, keep, help } = parseArgs({ args: plain, options }).values;
  const cluster = clusterOf(name);
  if (cluster === 'current' && !yes && !help) {
    throw new ConfigurationError(
      'Cannot use your cluster without --yes: CRDs, a namespace and rights will be created in it, and removed in the end',
    );
  }
  return { cluster, context, keep, help };
};

const main = async (): Promise<void> => {
  const { help, ...options } = optionsOf(process.argv.slice(2));
  if (help) console.log(usage);
  else await demo(options);
};

/** What went wrong, and what went wrong when that was tidied up. */
const wordsOf = (error: unknown): string => {
  if (error instanceof SuppressedError) return `${wordsOf(error.suppressed)}\n${wordsOf(error.error)}`;
  return error instanceof Error ? error.message : String(error);
};

try {
  await main();
} catch (error) {
  // Print one line; the stack only with DEBUG.
  console.error(`\n${process.env['DEBUG'] ? String((error as Error).stack) : wordsOf(error)}`);
  process.exitCode = error instanceof Interrupted ? 130 : 1;
}
