import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { processContext } from '#lib/cli/shell/process-context.ts';
import type { DevCluster } from '#lib/cli/verbs/dev/cluster/dev-cluster.ts';
import { DEV } from '#lib/cli/verbs/dev/cluster/rights.ts';
import { runOnce, type StartPhase } from '#lib/cli/verbs/dev/run-once.ts';
import type { LiveUi } from '#lib/cli/verbs/dev/ui/live-ui.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { requestLines } from './demo/lines.ts';
import { playLives } from './demo/lives.ts';
import { REAL_NODE_CONTEXT, startRealNode } from './demo/real-node.ts';
import { createScreen } from './demo/screen.ts';

const usage = `npm start [-- --cluster embedded] [-- --cluster node] [-- --cluster current --yes=<context>] [-- --keep] [-- --ui [--write]]
  Starts a cluster, installs what the kinds need, runs the operator under its own ServiceAccount
  and shows the lives of a PodSet, an ImmortalContainer and a CanaryRollout.
  --cluster embedded   a cluster in this process, over HTTPS (default)
  --cluster node       a real Kubernetes node in namespaces of this machine, whose containers run; needs Linux, root and Go
                       (test/real-node/README.md)
  --cluster current    the cluster of your kubeconfig, a real one (npm run control-plane starts one); needs
                       --yes=<context>, its current context, and removes in the end what it has created
  --keep               leaves cluster and operator running until Ctrl-C
  --ui                 also a live page of all objects, on 127.0.0.1; implies --keep (docs/ui.md)
  --write              with --ui: the page can also apply changes and steer rollouts`;

const furtherCommands = `
Look further:
  npm start -- --ui                the same, with a live page of all objects
  npm start -- --keep              the same, and the cluster stays until Ctrl-C
  npm start -- --cluster node      the same with containers that run (Linux, root, Go)
  npm run control-plane            a real control plane, for npm start -- --cluster current --yes=<context>
  npm run operator                 the operator against your KUBECONFIG
  cat synth-out/operator.k8s.yaml  the install bundle for a cluster, as npm run synth writes it
  npm test                         everything`;

const optionsOf = () => {
  const options = {
    cluster: { type: 'string', default: 'embedded' },
    yes: { type: 'string' },
    keep: { type: 'boolean', default: false },
    ui: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  const { cluster, yes, ...rest } = parseArgs({ options }).values;
  if (cluster !== 'embedded' && cluster !== 'node' && cluster !== 'current')
    throw new ConfigurationError(`Cannot run on cluster "${cluster}": expected embedded, node, current\n\n${usage}`);
  if (cluster === 'current' && yes === undefined && !rest.help)
    throw new ConfigurationError(
      'Cannot use your cluster without --yes=<context>: CRDs, a namespace and rights will be created in it, and removed in the end',
    );
  if (rest.write && !rest.ui) throw new ConfigurationError('--write needs --ui: add --ui, or remove --write');
  return { cluster, yes, ...rest } as const;
};

const context = processContext();
const screen = createScreen(process.stdout);
const config = fileURLToPath(new URL('../reconcile.config.ts', import.meta.url));

interface DemoOptions {
  readonly cluster: 'embedded' | 'current';
  readonly kubeconfig?: string;
  readonly yes: string | undefined;
  readonly keep: boolean;
  readonly ui: boolean;
  readonly write: boolean;
}

const printPage = (url: string): void => screen.text(`The live page (this address works once): ${url}`);

const startPage = async (
  dev: DevCluster,
  {
    namespaces,
    write,
    ...choice
  }: Pick<DemoOptions, 'kubeconfig' | 'write'> & { readonly namespaces: readonly string[] },
): Promise<LiveUi> => {
  const { startLiveUi } = await import('#lib/cli/verbs/dev/ui/live-ui.ts');
  const { cwd } = context;
  const place = { config, cwd, kubeconfig: dev.kubeconfig ?? choice.kubeconfig, namespace: dev.cluster.namespace };
  return startLiveUi({ dev, namespaces, place, mayWrite: write, onUrl: printPage });
};

const demo = async ({ keep, ui, write, ...choice }: DemoOptions): Promise<void> => {
  const isOurs = choice.cluster === 'embedded';
  const namespaces = isOurs ? [] : [DEV];
  const titles: Readonly<Record<StartPhase, string>> = {
    cluster: isOurs
      ? 'embedded cluster (API server, controllers, scheduler and kubelets, all in this process)'
      : 'the cluster of your kubeconfig',
    kinds: 'one definition of each kind becomes CRD and RBAC, which are installed',
    operator: 'operator, under its own ServiceAccount token',
  };
  await using running = await runOnce(context, {
    ...choice,
    config,
    namespaces,
    ...(!isOurs && { namespace: DEV }),
    onOpened: ({ cluster: { server, source } }) => isOurs || screen.text(`This changes ${server} (${source})`),
    phase: (name, work) => screen.phase(titles[name], work),
  });
  const { dev, project, operator, failed } = running;
  await using page = ui ? await startPage(dev, { ...choice, write, namespaces }) : undefined;
  await page?.watch(project);
  await playLives(running, { context, screen });
  const sent = dev.requests?.().filter(({ user }) => user === `system:serviceaccount:${DEV}:${DEV}`);
  if (sent !== undefined) screen.text(`\nThe operator sent ${requestLines(sent).join('\n  ')}`);
  if (keep || ui) {
    const file = dev.kubeconfig ?? choice.kubeconfig;
    const chosen = file === undefined ? '' : `\n  export KUBECONFIG=${file}`;
    screen.text(`\nStill running; in another terminal:${chosen}
  kubectl -n ${dev.cluster.namespace} get podsets,immortalcontainers,canaryrollouts,pods\nCtrl-C ends it.`);
    await failed.catch((error: unknown) => {
      if (error !== context.signal.reason) throw error;
    });
  } else screen.text(furtherCommands);
  await operator.stop();
};

const demoOnNode = async (options: Pick<DemoOptions, 'keep' | 'ui' | 'write'>): Promise<void> => {
  const title = 'a real node (etcd, API server, kubelet, containerd, kube-proxy) in namespaces of this machine';
  await using node = await screen.phase(title, () => startRealNode(context.signal));
  context.signal.throwIfAborted();
  await demo({ ...options, cluster: 'current', kubeconfig: node.kubeconfig, yes: REAL_NODE_CONTEXT });
};

/** Also returns the message of an error that the cleanup after the first error threw. */
const messageOf = (error: unknown): string => {
  if (error instanceof SuppressedError) return `${messageOf(error.suppressed)}\n${messageOf(error.error)}`;
  return error instanceof Error ? (process.env['DEBUG'] && error.stack) || error.message : String(error);
};

context.endInOrder();
try {
  const { help, cluster, ...options } = optionsOf();
  if (help) console.log(usage);
  else await (cluster === 'node' ? demoOnNode(options) : demo({ cluster, ...options }));
  process.exitCode = context.exitCode;
} catch (error) {
  const isInterrupted = error === context.signal.reason;
  console.error(`\n${isInterrupted ? 'Interrupted: everything that the demo started was ended.' : messageOf(error)}`);
  process.exitCode = isInterrupted ? 130 : 1;
}
