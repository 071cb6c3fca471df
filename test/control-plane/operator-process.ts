import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ControlPlaneError } from './error.ts';
import { guardChild } from './guard.ts';
import { waitFor } from './poll.ts';

/** A line of the operator's log. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** Options of an operator process. */
export interface OperatorProcessOptions {
  /** Kubeconfig with the operator's identity. */
  readonly kubeconfig: string;
  /** More settings, such as `LOG_LEVEL`. */
  readonly env?: Readonly<Record<string, string>>;
  /** @default the operator of this repository */
  readonly entryPoint?: string;
}

/** An operator in a process of its own, as in a container. */
export interface OperatorProcess extends AsyncDisposable {
  readonly pid: number;
  /** Log lines so far. */
  readonly log: readonly LogLine[];
  /** Standard error so far. */
  readonly errors: () => string;
  /** Resolves with the exit code after all output was read; null when a signal ended it. */
  readonly exited: Promise<number | null>;
  /** Sends a signal and waits for the end. @returns the exit code */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

const ourOperator = fileURLToPath(new URL('../../apps/operator.ts', import.meta.url));

/** Starts an operator, and does not wait until it is ready. */
export const spawnOperator = ({
  kubeconfig,
  env = {},
  entryPoint = ourOperator,
}: OperatorProcessOptions): OperatorProcess =>
  spawnCommand([process.execPath, entryPoint], {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    KUBECONFIG: kubeconfig,
    HEALTH_PORT: '0',
    METRICS_PORT: '0',
    ...env,
  });

/**
 * Starts an operator by a command that becomes its process.
 *
 * @param env - the complete environment of the process
 */
export const spawnCommand = (command: readonly string[], env: NodeJS.ProcessEnv): OperatorProcess => {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const { log, errors } = collectOutput(child);
  const exited = once(child, 'close').then(([code]: (number | null)[]) => code ?? null);
  guardChild(child);
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    child.kill(signal);
    return exited;
  };
  return { pid: child.pid ?? 0, log, errors, exited, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
};

const collectOutput = (child: ChildProcess): { readonly log: LogLine[]; readonly errors: () => string } => {
  const log: LogLine[] = [];
  let errors = '';
  if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => log.push(parseLine(line)));
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  return { log, errors: () => errors };
};

const parseLine = (line: string): LogLine => {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return { level: 'unparsable', msg: line };
  }
};

/**
 * Starts an operator and waits until it works.
 *
 * @throws {ControlPlaneError} COMPONENT_DIED when it ends instead, with its output
 */
export const startOperator = (options: OperatorProcessOptions): Promise<OperatorProcess> =>
  works(spawnOperator(options));

/**
 * Waits until an operator works.
 *
 * @throws {ControlPlaneError} COMPONENT_DIED when it ends instead, with its output
 */
export const works = async (operator: OperatorProcess): Promise<OperatorProcess> => {
  let hasEnded = false;
  const died = operator.exited.then((code) => {
    hasEnded = true;
    const tail = [...operator.log.slice(-5).map((line) => JSON.stringify(line)), operator.errors()].join('\n');
    throw new ControlPlaneError('COMPONENT_DIED', `The operator ended with code ${code} before it was ready:\n${tail}`);
  });
  // `died` also rejects at the end of a good run, when nothing awaits it any more.
  died.catch(() => undefined);
  await Promise.race([died, operatorReady(operator, () => hasEnded)]);
  return operator;
};

const READY_MESSAGE = 'caches filled, loop started';

/** @param hasEnded - ends the wait, which would keep the process from ending */
const operatorReady = async ({ log }: OperatorProcess, hasEnded: () => boolean): Promise<void> => {
  const isReady = (): boolean => log.some((line) => line.msg === READY_MESSAGE);
  await waitFor('the operator to fill its caches', async () => hasEnded() || isReady());
};
