import { styleText } from 'node:util';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { InvalidDefinitionError } from '#lib/errors.ts';
import { type Logger, run } from '#lib/runtime.ts';
import { endWithParent, GRACE_MS } from '../../../child/end-with-parent.ts';
import { loadKinds } from '../../../project/config.ts';
import { complaintOf, type SourceLine, shownPath, sourceLineOf, syntaxPlaceOf } from '../../../project/project-file.ts';
import { type Style, wantsColor } from '../../../shell/context.ts';
import { printable } from '../../../shell/output.ts';
import { wordsOf } from '../../../shell/report.ts';
import { personLog } from '../../run/pretty-log.ts';
import type { FromOperator, ToOperator } from '../messages.ts';
import { projectOf, runnableKinds } from '../project.ts';
import { recordSources } from '../sources.ts';
import { UNSUITABLE_LINES, withoutUsualLife } from './usual-life.ts';

type Order = Extract<ToOperator, { type: 'run' }>;

const send = (message: FromOperator): void => void process.send?.(message);

/** The error as `file:line: message`. If the line is unknown: `file: message` for a syntax error, otherwise only the message. */
const inWords = async (
  error: unknown,
  { cwd, last }: { readonly cwd: string; readonly last: string | undefined },
): Promise<string> => {
  const cause = error instanceof Error ? error.cause : undefined;
  const what = complaintOf(cause ?? error);
  const isSyntax = cause instanceof SyntaxError && last !== undefined;
  const place: SourceLine | undefined = sourceLineOf(cause) ?? (isSyntax ? await syntaxPlaceOf(last, what) : undefined);
  if (place !== undefined) return `${shownPath(place.path, cwd)}:${place.line}: ${what}`;
  if (cause instanceof SyntaxError && last !== undefined) return `${shownPath(last, cwd)}: ${what}`;
  // An InvalidDefinitionError lists its problems in the lines after the first line.
  return error instanceof InvalidDefinitionError ? error.message : complaintOf(error);
};

const load = async ({
  config,
  cwd,
  options,
}: Extract<ToOperator, { type: 'load' }>): Promise<readonly AnyKindDefinition[]> => {
  let last: string | undefined;
  recordSources((path, hash) => {
    last = path;
    send({ type: 'reads', path, hash });
  });
  try {
    const { kinds } = await loadKinds({ cwd }, { config });
    const project = projectOf(kinds, options);
    send({ type: 'loaded', project });
    return runnableKinds(kinds, options);
  } catch (error) {
    const message = await inWords(error, { cwd, last });
    send({ type: 'failed', message: printable(message) });
    return [];
  }
};

const logOf = ({ env, isTerminal }: Order): Logger => {
  const hasColors = wantsColor(env, isTerminal);
  const color = (style: Style, text: string): string =>
    hasColors ? styleText(style, text, { validateStream: false }) : text;
  const log = personLog({ env, color, stderr: process.stderr, now: () => Date.now() });
  // If `LOG_LEVEL` is set, the lines about starts and ends stay.
  return withoutUsualLife(log, env['LOG_LEVEL'] === undefined ? undefined : UNSUITABLE_LINES);
};

const work = async (kinds: readonly AnyKindDefinition[], order: Order): Promise<void> => {
  try {
    await run({ kinds, env: order.env, log: logOf(order), onStarted: () => send({ type: 'started' }) });
    process.exit(0);
  } catch (error) {
    process.stderr.write(`operator: ${printable(wordsOf(error))}\n`);
    process.exit(1);
  }
};

/** Ends the process after its parent. Only a working operator has a handler for SIGTERM. */
const endAlone = (): void => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.exit(1), GRACE_MS);
};

/**
 * Runs an operator for the parent process: loads kinds on request, and reports the CRDs and the RBAC rules that the parent must
 * install. Starts the loop on the message `run`, which the parent sends after the installation.
 *
 * Flow: loads the library and waits → `load` → `loaded` or `failed` → `run` → `started` → SIGTERM or the end of the parent → ends
 * gracefully.
 *
 * @param starter - the process id of the parent, which may already have ended
 */
export const serveDev = async (starter: number): Promise<void> => {
  let kinds: readonly AnyKindDefinition[] = [];
  process.once('disconnect', endAlone);
  const guard = endWithParent(starter);
  process.on('message', (message: ToOperator) => {
    if (message.type === 'load') void load(message).then((loaded) => (kinds = loaded));
    else {
      guard.works();
      void work(kinds, message);
    }
  });
  // The slowest modules are loaded in advance, so that the loop starts at once.
  await Promise.all([import('#lib/kube/credentials/kubeconfig.ts'), import('#lib/index.ts')]);
};
