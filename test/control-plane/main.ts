import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { allArtifacts, provideArtifacts } from './binaries.ts';
import { startControlPlane } from './control-plane.ts';
import { ControlPlaneError } from './error.ts';

const { values } = parseArgs({ options: { prepare: { type: 'boolean', default: false } } });

/** Runs a control plane until Ctrl-C. */
async function serve(): Promise<void> {
  const startedAt = performance.now();
  await using plane = await startControlPlane();
  // Listened to only now: an interrupted start just ends.
  const interrupted = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  console.log(`Ready in ${((performance.now() - startedAt) / 1000).toFixed(1)} s: ${plane.url}`);
  console.log(`kubectl: ${plane.access.kubectlProgram}`);
  console.log(`export KUBECONFIG=${plane.kubeconfig}`);
  console.log('Ctrl-C stops it and removes its data.');
  // Neither a listener of signals nor the components keep this process alive.
  const keepAlive = setInterval(() => {}, 60_000);
  await interrupted;
  clearInterval(keepAlive);
  console.log('Stopping …');
}

async function prepare(): Promise<void> {
  for (const [name, path] of Object.entries(await provideArtifacts(allArtifacts))) console.log(`${name}: ${path}`);
}

try {
  await (values.prepare ? prepare() : serve());
} catch (error) {
  // Its message says what to do; a stack trace would bury it.
  if (!(error instanceof ControlPlaneError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
