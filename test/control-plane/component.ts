import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ControlPlaneError } from './error.ts';
import { guardChild } from './guard.ts';
import { childrenOf, killGroup, tryKill, waitUntilGone } from './process.ts';
import { recordChild } from './scratch.ts';

/** How to start a component. */
export interface ComponentOptions {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Folder of the component's log, and of the file with its process id. */
  readonly folder: string;
  /**
   * Whether the process only waits for the component, its child, as `nsenter` does. A signal is then for the child: the
   * process would end at once, and the component some time later. @default false
   */
  readonly isWrapper?: boolean;
}

/** The signal that ends a component. */
export type StopSignal = 'SIGTERM' | 'SIGKILL';

/** A running component. */
export interface Component {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** Throws when the component ended without being asked to. */
  readonly assertRunning: () => void;
  /**
   * Prints an unexpected end from now on: a test that hangs because the scheduler died is hard to explain otherwise.
   */
  readonly announceEnd: () => void;
  /**
   * Asks the component to end, and kills it if it does not end in time.
   * @param signal SIGKILL kills the component at once. @default 'SIGTERM'
   */
  readonly stop: (signal?: StopSignal) => Promise<void>;
}

/** Time in which a component must end by itself; short, because its data is deleted in any case. */
const stopGraceMs = 3000;

/**
 * Starts a component.
 * @throws {ControlPlaneError} COMPONENT_DIED when the program cannot be started at all
 */
export function startComponent({ name, program, args, folder, isWrapper = false }: ComponentOptions): Component {
  const logFile = join(folder, `${name}.log`);
  const child = spawnWithLog(program, args, logFile);
  const state = { isAnnounced: false, ending: undefined as string | undefined };
  child.once('error', (error) => (state.ending = error.message));
  child.once('exit', (code, signal) => {
    state.ending = `ended with ${signal ?? `code ${code}`}`;
    if (state.isAnnounced) console.error(`control plane: ${name} ${state.ending}; its log: ${logFile}`);
  });
  const { pid } = child;
  if (pid === undefined) throw new ControlPlaneError('COMPONENT_DIED', `Cannot start "${program}": not executable`);
  guardChild(child);
  recordChild(folder, pid);
  // A script that does not stop the plane must still end; the guard then stops the component.
  child.unref();
  return {
    name,
    pid,
    logFile,
    assertRunning: () => assertRunning(state.ending, { name, logFile }),
    announceEnd: () => void (state.isAnnounced = true),
    stop: (signal = 'SIGTERM') => {
      state.isAnnounced = false;
      return stopProcess(pid, { signal, isWrapper });
    },
  };
}

function spawnWithLog(program: string, args: readonly string[], logFile: string): ChildProcess {
  const log = openSync(logFile, 'a', 0o600);
  try {
    // A process group of its own: Ctrl-C goes to the terminal's foreground group and must not reach the components
    // directly, because they are stopped in order.
    return spawn(program, args, { stdio: ['ignore', log, log], detached: true });
  } finally {
    closeSync(log);
  }
}

function assertRunning(ending: string | undefined, component: Pick<Component, 'name' | 'logFile'>): void {
  if (ending === undefined) return;
  const { name, logFile } = component;
  const tail = logTail(logFile);
  // The ports were free when they were chosen, but another process may have taken one since.
  const code = tail.includes('address already in use') ? 'PORT_TAKEN' : 'COMPONENT_DIED';
  throw new ControlPlaneError(code, `Cannot run the control plane: ${name} ${ending}. The end of its log:\n${tail}`);
}

/** The last lines of a log. */
export function logTail(logFile: string, lineCount = 20): string {
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-lineCount).join('\n');
}

interface StopOptions {
  readonly signal: StopSignal;
  readonly isWrapper: boolean;
}

async function stopProcess(pid: number, { signal, isWrapper }: StopOptions): Promise<void> {
  const [child] = isWrapper ? childrenOf(pid) : [];
  if (child === undefined) killGroup(pid, signal);
  else tryKill(child, signal);
  if (await waitUntilGone(pid, stopGraceMs)) return;
  killGroup(pid, 'SIGKILL');
  await waitUntilGone(pid, stopGraceMs);
}
