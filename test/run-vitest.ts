import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Options of {@link runScript} and {@link runVitest}. */
export interface VitestRun {
  /** Variables added to this process's own. @default none */
  readonly env?: Readonly<Record<string, string>>;
  /** Runs at the lowest priority. @default false */
  readonly yields?: boolean;
  /** Destination of its output. @default this process's own */
  readonly stdio?: SpawnOptions['stdio'];
  /** The Node.js program. @default the one of this process */
  readonly program?: string;
  /** The working folder. @default that of this process */
  readonly folder?: string;
}

/** Runs a script of Node.js once; resolves with its exit code, 1 when a signal ended it. */
export const runScript = async (
  script: string,
  words: readonly string[],
  { env = {}, yields = false, stdio = 'inherit', program = process.execPath, folder = '.' }: VitestRun = {},
): Promise<number> => {
  const child = spawn(program, [script, ...words], { stdio, cwd: folder, env: { ...process.env, ...env } });
  // Workers of the script inherit the priority: they start later.
  if (yields && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  // Ctrl-C reaches all processes of a terminal. A signal to this process alone must be passed on, else vitest and its
  // clusters keep running.
  const passOn = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGTERM', passOn);
  const [code] = (await once(child, 'exit')) as [number | null];
  process.off('SIGTERM', passOn);
  return code ?? 1;
};

/** Runs vitest once; resolves with its exit code, 1 when a signal ended it. */
export const runVitest = (words: readonly string[], options?: VitestRun): Promise<number> =>
  runScript('node_modules/vitest/vitest.mjs', ['run', ...words], options);

/** The results of a test file. */
export interface VitestFile {
  readonly name: string;
  readonly status: string;
  /** The reason why the file could not be loaded, or why its hook failed. */
  readonly message: string;
  readonly assertionResults: readonly {
    readonly status: string;
    readonly fullName: string;
    /** The data that a test has stored about itself. */
    readonly meta?: Readonly<Record<string, unknown>>;
  }[];
}

/** The JSON report of vitest, as far as it is read here. */
export interface VitestReport {
  readonly testResults: readonly VitestFile[];
}

/**
 * Runs vitest once, with its output in that of this process.
 *
 * @param vitest - @default the real one
 * @returns the exit code, and the report; undefined if vitest ended without a report
 */
export const runReported = async (
  words: readonly string[],
  options: VitestRun,
  vitest: typeof runVitest = runVitest,
): Promise<{ readonly code: number; readonly report: VitestReport | undefined }> => {
  const folder = await mkdtemp(join(tmpdir(), 'cdk8s-reconcile-report-'));
  const file = join(folder, 'report.json');
  try {
    const code = await vitest(
      [...words, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
      options,
    );
    const text = await readFile(file, 'utf8').catch(() => undefined);
    return { code, report: text === undefined ? undefined : (JSON.parse(text) as VitestReport) };
  } finally {
    await rm(folder, { recursive: true });
  }
};
