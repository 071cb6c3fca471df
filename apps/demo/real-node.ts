import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ConfigurationError } from '#lib/errors.ts';

const program = fileURLToPath(new URL('../../test/real-node/main.ts', import.meta.url));

/** A real node, which runs in its own process. */
export interface RealNodeProcess extends AsyncDisposable {
  readonly kubeconfig: string;
}

/** The context of the administrator in the kubeconfig of a real node. */
export const REAL_NODE_CONTEXT = 'admin';

/**
 * Starts a real node, and waits until it is ready.
 *
 * Guarantees: the node ends when this process ends or is killed. A signal of the terminal does not reach the node, because the
 * cleanup after Ctrl-C needs its API server.
 *
 * @param signal - aborts the start
 * @throws {ConfigurationError} when a real node cannot run here; the reason is on standard error
 */
export const startRealNode = async (signal: AbortSignal): Promise<RealNodeProcess> => {
  // The process of the node ends when its standard input is closed, also by the end of this process.
  const args = [program, '--until-input-ends'];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const exited = once(child, 'exit');
  const endInput = (): unknown => child.stdin.end();
  signal.addEventListener('abort', endInput);
  for await (const line of createInterface({ input: child.stdout })) {
    const [, kubeconfig] = /^export KUBECONFIG=(.+)$/.exec(line) ?? [];
    if (kubeconfig === undefined) continue;
    signal.removeEventListener('abort', endInput);
    const end = async (): Promise<void> => {
      endInput();
      await exited;
    };
    child.stdout.resume();
    return { kubeconfig, [Symbol.asyncDispose]: end };
  }
  signal.throwIfAborted();
  throw new ConfigurationError('Cannot start a real node: its last lines are above');
};
