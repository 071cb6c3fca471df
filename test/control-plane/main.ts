import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { allArtifacts, provideArtifacts } from './binaries.ts';
import { startControlPlane } from './control-plane.ts';
import { ControlPlaneError } from './error.ts';

const USAGE = `Usage: npm run control-plane [-- --prepare]

Runs a Kubernetes control plane until Ctrl-C, and prints its kubeconfig. The first time it is built, which takes minutes.

  --prepare   build its programs, print their paths, and end
  --help      this text`;

const options = {
  prepare: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** Runs a control plane until Ctrl-C. */
async function serve(): Promise<void> {
  const startedAt = performance.now();
  await using plane = await startControlPlane();
  // Registered only now: an interrupted start simply ends.
  const interrupted = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  console.log(`Ready in ${((performance.now() - startedAt) / 1000).toFixed(1)} s: ${plane.url}`);
  console.log(`kubectl: ${plane.access.kubectlProgram}`);
  console.log(`export KUBECONFIG=${plane.kubeconfig}`);
  console.log('Ctrl-C stops it and removes its data.');
  // Neither signal listeners nor the components keep this process alive.
  const keepAlive = setInterval(() => {}, 60_000);
  await interrupted;
  clearInterval(keepAlive);
  console.log('Stopping …');
}

async function prepare(): Promise<void> {
  for (const [name, path] of Object.entries(await provideArtifacts(allArtifacts))) console.log(`${name}: ${path}`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  if (values.help) console.log(USAGE);
  else await (values.prepare ? prepare() : serve());
}

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
