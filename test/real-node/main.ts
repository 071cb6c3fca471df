import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { ControlPlaneError } from '#test/control-plane/error.ts';
import { startRealNode } from './node.ts';
import { whyImpossible } from './place/possible.ts';
import { provideNodePrograms } from './programs/programs.ts';

const USAGE = `Usage: npm run real-node [-- --prepare]

Runs a real Kubernetes node until Ctrl-C, and prints its kubeconfig. The first time it is built, which takes minutes.

  --layout <folder>   an OCI image layout whose images the node can pull; can be given several times
  --until-input-ends  stop when standard input ends, as it does when the process at its other end ends
  --prepare           build its programs, print their paths, and end
  --help              this text`;

const options = {
  layout: { type: 'string', multiple: true, default: [] as string[] },
  'until-input-ends': { type: 'boolean', default: false },
  prepare: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

interface ServeOptions {
  readonly layout: readonly string[];
  readonly 'until-input-ends': boolean;
}

/** Runs a node until Ctrl-C. */
const serve = async ({ layout, 'until-input-ends': untilInputEnds }: ServeOptions): Promise<void> => {
  const startedAt = performance.now();
  // Read from the beginning: the process at the other end may end during the start.
  if (untilInputEnds) process.stdin.resume().once('end', () => process.kill(process.pid, 'SIGTERM'));
  await using node = await startRealNode({ layouts: layout });
  // Registered only now: an interrupted start simply ends.
  const interrupted = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  console.log(`Ready in ${((performance.now() - startedAt) / 1000).toFixed(1)} s: ${node.url}`);
  console.log(`kubectl: ${node.access.kubectlProgram}`);
  console.log(`export KUBECONFIG=${node.kubeconfig}`);
  console.log('Ctrl-C stops it and removes its data.');
  // Neither signal listeners nor the components keep this process alive.
  const keepAlive = setInterval(() => {}, 60_000);
  await interrupted;
  clearInterval(keepAlive);
  console.log('Stopping …');
};

const prepare = async (): Promise<void> => {
  const { kubernetes, folder } = await provideNodePrograms();
  for (const [name, path] of Object.entries(kubernetes)) console.log(`${name}: ${path}`);
  console.log(`containerd, runc, CNI plugins, Debian packages: ${folder}`);
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({ options });
  if (values.help) return console.log(USAGE);
  const reason = await whyImpossible();
  if (reason !== undefined) throw new ControlPlaneError('NODE_IMPOSSIBLE', `Cannot start a real node: ${reason}`);
  await (values.prepare ? prepare() : serve(values));
};

const isUsageError = (error: unknown): boolean =>
  error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');

try {
  await main();
} catch (error) {
  // The message contains the remedy; a stack trace would hide it.
  if (!(error instanceof ControlPlaneError) && !isUsageError(error)) throw error;
  console.error(isUsageError(error) ? `${(error as Error).message}\n\n${USAGE}` : (error as Error).message);
  process.exitCode = 1;
}
