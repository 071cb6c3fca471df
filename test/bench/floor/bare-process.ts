import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { undiciCore } from '#apps/bundle/undici-core.ts';
import { guardChild } from '#test/control-plane/guard.ts';
import { type BareSettings, READY } from './bare-operator.ts';

/** A process that converges PodSets: an operator, or the bare operator. */
export interface Converger extends AsyncDisposable {
  readonly pid: number;
  /** Resolves when the process has ended. */
  readonly exited: Promise<unknown>;
  /** Ends the process, and waits for its end. */
  readonly stop: () => Promise<unknown>;
}

/** Starts processes of one program that converges PodSets. */
export interface Contender {
  /** Starts a process, and waits until its watches are open. */
  readonly start: () => Promise<Converger>;
  /** Starts a process without waiting. */
  readonly spawn: () => Converger;
}

/** Time that the process has to close its connections, in milliseconds. */
const CLOSE_MS = 60_000;

/** Compiles the bare operator as the operator of a bundle is compiled: stripping types costs a start some 100 ms. */
export const compileBareOperator = async (outfile: string): Promise<void> => {
  const entryPoints = [fileURLToPath(new URL('bare-operator.ts', import.meta.url))];
  await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node', banner, plugins: [undiciCore] });
};

/** Packages written for CommonJS call `require`. */
const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" };

const spawnBare = (file: string, settings: BareSettings) => {
  const child = spawn(process.execPath, [file], { env: {}, stdio: ['pipe', 'pipe', 'pipe'] });
  guardChild(child);
  const exited = once(child, 'close').then(([code]: (number | null)[]) => code ?? null);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  // A child that has failed reads no input; its exit code is the error.
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${JSON.stringify(settings)}\n`);
  const stop = async (): Promise<number | null> => {
    child.stdin.end();
    const kill = setTimeout(() => child.kill('SIGKILL'), CLOSE_MS);
    const code = await exited;
    clearTimeout(kill);
    if (code === 0) return code;
    throw new Error(`The bare operator ended with ${code ?? 'a signal'}: expected 0\n${errors}`);
  };
  const printed = once(child.stdout, 'data').then(([chunk]: Buffer[]) => String(chunk).trim());
  const bare: Converger = { pid: child.pid ?? 0, exited, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
  return { bare, printed, errors: () => errors };
};

/**
 * Processes of the bare operator.
 *
 * Guarantees: a process ends when its standard input ends: at `stop()`, and at any end of this process. A process that
 * does not end in time after `stop()` is killed.
 *
 * @param file - written by {@link compileBareOperator}
 */
export const bareOperators = (file: string, settings: BareSettings): Contender => ({
  spawn: () => spawnBare(file, settings).bare,
  start: async () => {
    const { bare, printed, errors } = spawnBare(file, settings);
    const first = await Promise.race([printed, bare.exited]);
    if (first === READY) return bare;
    throw new Error(`The bare operator ended or printed ${String(first)}: expected ${READY}\n${errors()}`);
  },
});
