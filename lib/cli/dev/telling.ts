import type { ApiResource } from '#lib/kube/api.ts';
import type { CliContext, Style } from '../context.ts';
import { verdictLines } from '../crd/diff.ts';
import type { CrdVerdict } from '../crd/difference.ts';
import { printable } from '../output.ts';
import { shownPath } from '../project-file.ts';
import { wordsOf } from '../report.ts';
import type { Ended } from './child-end.ts';
import type { DevCluster } from './dev-cluster.ts';

/** Of what a definition has changed in, so much is shown. */
const SHOWN_DIFFERENCES = 5;

/** Of the files that were saved, so many are named. */
const SHOWN_FILES = 3;

const secondsOf = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/** What a system says that has no room for another process. */
const EXHAUSTED: ReadonlySet<unknown> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

const remedyOf = (error: NodeJS.ErrnoException): string =>
  EXHAUSTED.has(error.code) ? ': end other processes, or raise the limits of this user (ulimit -a)' : '';

const wordsOfEnd = (ended: Ended): string => {
  switch (ended.by) {
    case 'exit':
      return `The operator ended with code ${ended.code} (what it wrote is above)`;
    case 'signal':
      return `The operator was ended by ${ended.signal}${ended.signal === 'SIGKILL' ? ', by somebody or for want of memory' : ''}`;
    case 'failure':
      return `The operator could not be started (${ended.error.message})${remedyOf(ended.error)}`;
  }
};

/** What `dev` says of its own: short lines on `stderr`, between those of the operator. */
export class Telling {
  readonly #context: CliContext;

  constructor(context: CliContext) {
    this.#context = context;
  }

  /** How others reach the cluster; the only lines on `stdout`. */
  cluster({ cluster, kubeconfig }: DevCluster, ms: number): void {
    if (kubeconfig === undefined) return this.#say(`Developing on ${cluster.server} (${cluster.source})`);
    this.#say(`The embedded cluster answers at ${cluster.server} after ${secondsOf(ms)}. In other terminals:`);
    this.#context.stdout.write(`export KUBECONFIG=${kubeconfig}\n`);
  }

  /** Files that were saved. */
  saved(files: readonly string[]): void {
    const names = files.map((file) => shownPath(file, this.#context.cwd));
    const rest = names.length > SHOWN_FILES ? ` and ${names.length - SHOWN_FILES} more` : '';
    this.#say(`${names.slice(0, SHOWN_FILES).join(', ')}${rest} changed`, 'dim');
  }

  /** What became of the definitions; of those that are the same nothing is said. */
  definitions(verdicts: readonly CrdVerdict[]): void {
    for (const verdict of verdicts.filter((each) => each.verdict !== 'same'))
      for (const line of verdictLines(this.#context, verdict, SHOWN_DIFFERENCES))
        this.#context.stderr.write(`${line}\n`);
  }

  /** A kind whose versions nobody converts. */
  unconverted(kind: string): void {
    this.#say(
      `${kind} has versions with functions, which no cluster can call here: objects are served as they are stored`,
      'yellow',
    );
  }

  /** A manifest was applied. */
  applied(object: string, file: string): void {
    this.#say(`${object} of ${file} is applied`);
  }

  /** A manifest is not there. */
  missing(file: string): void {
    this.#say(`${file} is not there; it is applied when it is`, 'yellow');
  }

  /** The operator works. */
  started(kinds: readonly ApiResource[], { ms, isFirst }: { readonly ms: number; readonly isFirst: boolean }): void {
    const names = kinds.map(({ kind }) => kind).join(', ');
    const what = isFirst ? `The operator of ${names} works after ${secondsOf(ms)}` : `Restarted in ${secondsOf(ms)}`;
    this.#say(`${what}. Ctrl-C ends it.`, 'green');
  }

  /** The kinds could not be loaded. @param message - `file:line: what` */
  failed(message: string): void {
    this.#say(message, 'red');
  }

  /** Something else went wrong. */
  error(error: unknown): void {
    this.#say(wordsOf(error), 'red');
  }

  /** What is done after something went wrong. @param isRunning - whether an operator works */
  goesOn(isRunning: boolean): void {
    this.#say(isRunning ? 'What ran before goes on; the next save is tried again.' : 'The next save is tried again.');
  }

  /** The operator ended, and nobody had told it to; or none could be started. */
  ended(ended: Ended, pauseMs: number): void {
    this.#say(`${wordsOfEnd(ended)}; another one starts in ${secondsOf(pauseMs)}, or at the next save.`, 'red');
  }

  /** What is left in a cluster that is somebody's; nothing is said of nothing. */
  left(commands: readonly string[]): void {
    if (commands.length === 0) return;
    this.#say(`Not everything could be removed; remove it:\n${commands.map((line) => `  ${line}`).join('\n')}`, 'red');
  }

  #say(text: string, style?: Style): void {
    const clean = printable(text);
    this.#context.stderr.write(`${style === undefined ? clean : this.#context.color(style, clean)}\n`);
  }
}
