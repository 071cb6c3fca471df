import { once } from 'node:events';
import type { ControlPlaneClient } from './client.ts';
import { ControlPlaneError } from './error.ts';

/** A running cluster that people use from a shell. */
type ServedCluster = Pick<ControlPlaneClient, 'url' | 'kubeconfig' | 'access'> & AsyncDisposable;

/** Runs a cluster until Ctrl-C, and prints how to reach it. */
export const serveUntilInterrupted = async (start: () => Promise<ServedCluster>): Promise<void> => {
  const startedAt = performance.now();
  await using cluster = await start();
  // Registered only now: a signal during the start ends the process at once.
  const interrupted = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  console.log(`Ready in ${((performance.now() - startedAt) / 1000).toFixed(1)} s: ${cluster.url}`);
  console.log(`kubectl: ${cluster.access.kubectlProgram}`);
  console.log(`export KUBECONFIG=${cluster.kubeconfig}`);
  console.log('Ctrl-C stops it and removes its data.');
  // Neither signal listeners nor the components keep this process alive.
  const keepAlive = setInterval(() => {}, 60_000);
  await interrupted;
  clearInterval(keepAlive);
  console.log('Stopping …');
};

const isUsageError = (error: unknown): boolean =>
  error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');

/** Runs a command. Its errors contain the remedy; a stack trace would hide it. */
export const runCommand = async (main: () => Promise<void>, usage: string): Promise<void> => {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof ControlPlaneError) && !isUsageError(error)) throw error;
    console.error(isUsageError(error) ? `${(error as Error).message}\n\n${usage}` : (error as Error).message);
    process.exitCode = 1;
  }
};
