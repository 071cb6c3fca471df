import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ConfigurationError } from '#lib/errors.ts';

const program = fileURLToPath(new URL('../../test/real-node/main.ts', import.meta.url));

/** A real node in a process of its own. */
export interface RealNodeProcess extends AsyncDisposable {
  readonly kubeconfig: string;
}

/** The context of its administrator. */
export const REAL_NODE_CONTEXT = 'admin';

/**
 * Starts a real node, and waits until it is ready.
 *
 * Guarantees: it ends when this process ends, however that happens. A signal of the terminal does not reach it: the cleanup
 * after Ctrl-C needs its API server.
 *
 * @param signal - ends the start
 * @throws {ConfigurationError} when it cannot run here; the reason is on standard error
 */
export const startRealNode = async (signal: AbortSignal): Promise<RealNodeProcess> => {
  // It ends with its input, which ends with this process.
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
