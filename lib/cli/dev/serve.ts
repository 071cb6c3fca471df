import { styleText } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { type Logger, run } from '#lib/runtime.ts';
import { loadKinds } from '../config.ts';
import { type Style, wantsColor } from '../context.ts';
import { printable } from '../output.ts';
import { complaintOf, type Place, placeOf, shownPath, syntaxPlaceOf } from '../project-file.ts';
import { wordsOf } from '../report.ts';
import { personLog } from '../run/pretty-log.ts';
import type { FromOperator, ToOperator } from './messages.ts';
import { projectOf } from './project.ts';
import { recordSources } from './sources.ts';

/** How long passes may take to end when the process that started this one is gone, in milliseconds. */
const GRACE_MS = 5000;

/**
 * Of a thread that goes on while a kind is loaded, or computes, that never ends: without the process that started this one nobody would
 * end it. Who works is told by a message, and may end in order.
 */
const GUARD = `
const { parentPort, workerData: { starter, graceMs } } = require('node:worker_threads');
let patienceMs = 0;
parentPort.on('message', () => (patienceMs = graceMs));
const timer = setInterval(() => {
  if (process.ppid === starter) return;
  clearInterval(timer);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), patienceMs);
}, 500);
`;

type Order = Extract<ToOperator, { type: 'run' }>;

const tell = (message: FromOperator): void => void process.send?.(message);

/** `file:line: what`; only what, where it is not known from where it is. */
const inWords = async (
  error: unknown,
  { cwd, last }: { readonly cwd: string; readonly last: string | undefined },
): Promise<string> => {
  const cause = error instanceof Error ? error.cause : undefined;
  const what = complaintOf(cause ?? error);
  const isSyntax = cause instanceof SyntaxError && last !== undefined;
  const place: Place | undefined = placeOf(cause) ?? (isSyntax ? await syntaxPlaceOf(last, what) : undefined);
  if (place !== undefined) return `${shownPath(place.path, cwd)}:${place.line}: ${what}`;
  return cause instanceof SyntaxError && last !== undefined ? `${shownPath(last, cwd)}: ${what}` : complaintOf(error);
};

const load = async ({
  config,
  cwd,
  options,
}: Extract<ToOperator, { type: 'load' }>): Promise<readonly AnyKindDefinition[]> => {
  let last: string | undefined;
  recordSources((path, hash) => {
    last = path;
    tell({ type: 'reads', path, hash });
  });
  try {
    const { kinds } = await loadKinds({ cwd }, { config });
    const project = projectOf(kinds, options);
    tell({ type: 'loaded', project });
    return kinds;
  } catch (error) {
    const message = await inWords(error, { cwd, last });
    tell({ type: 'failed', message: printable(message) });
    return [];
  }
};

const logOf = ({ env, isTerminal }: Order): Logger => {
  const hasColors = wantsColor(env, isTerminal);
  const color = (style: Style, text: string): string =>
    hasColors ? styleText(style, text, { validateStream: false }) : text;
  return personLog({ env, color, stderr: process.stderr, now: () => Date.now() });
};

const work = async (kinds: readonly AnyKindDefinition[], order: Order): Promise<void> => {
  try {
    await run({ kinds, env: order.env, log: logOf(order), onStarted: () => tell({ type: 'started' }) });
    process.exit(0);
  } catch (error) {
    process.stderr.write(`operator: ${printable(wordsOf(error))}\n`);
    process.exit(1);
  }
};

/** Whoever started this process is gone: nobody would end it. */
const endAlone = (isWorking: boolean): void => {
  if (!isWorking) process.exit(0);
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.exit(1), GRACE_MS);
};

/**
 * Runs an operator for the process that started this one: loads kinds when it is told to, tells what they need, and works
 * when that is there.
 *
 * Flow: loads what every operator needs, and waits → `load` → `loaded` or `failed` → `run` → `started` → SIGTERM, or the end of
 * the other process → ends in order.
 *
 * @param starter - the id of the process that started this one; it may be gone before this line is reached
 */
export const serveDev = async (starter: number): Promise<void> => {
  let kinds: readonly AnyKindDefinition[] = [];
  let isWorking = false;
  process.once('disconnect', () => endAlone(isWorking));
  const guard = new Worker(GUARD, { eval: true, workerData: { starter, graceMs: GRACE_MS } });
  process.on('message', (message: ToOperator) => {
    if (message.type === 'load') void load(message).then((loaded) => (kinds = loaded));
    else {
      isWorking = true;
      guard.postMessage('works');
      void work(kinds, message);
    }
  });
  // What takes longest to load: who has it already begins to work at once.
  await Promise.all([import('#lib/kube/kubeconfig.ts'), import('#lib/index.ts')]);
};
