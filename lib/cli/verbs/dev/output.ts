import type { ApiResource } from '#lib/kube/interface/api.ts';
import type { Ended } from '../../child/child-end.ts';
import type { CrdVerdict } from '../../project/difference.ts';
import { shownPath } from '../../project/project-file.ts';
import type { CliContext, Style } from '../../shell/context.ts';
import { printable } from '../../shell/output.ts';
import { wordsOf } from '../../shell/report.ts';
import { verdictLines } from '../crd/run.ts';
import type { DevCluster } from './cluster/dev-cluster.ts';
import type { Project } from './project.ts';

const SHOWN_DIFFERENCES = 5;

const SHOWN_FILES = 3;

const secondsOf = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/** Error codes when the system has no resources for another process. */
const EXHAUSTED: ReadonlySet<unknown> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

const remedyOf = (error: NodeJS.ErrnoException): string =>
  EXHAUSTED.has(error.code) ? ': end other processes, or raise the limits of this user (ulimit -a)' : '';

/** A sentence, without a full stop, about the end of an operator. */
export const wordsOfEnd = (ended: Ended): string => {
  switch (ended.by) {
    case 'exit':
      return `The operator ended with code ${ended.code} (its output is above)`;
    case 'guard':
      return `The operator was ended by its own guard: the function of ${ended.kind} does not return for ${ended.key}; correct the function`;
    case 'signal':
      return `The operator was ended by ${ended.signal}${ended.signal === 'SIGKILL' ? '; another process sent it, or memory ran out' : ''}`;
    case 'failure':
      return `The operator could not be started (${ended.error.message})${remedyOf(ended.error)}`;
  }
};

/** Messages of `dev`: short lines on `stderr`, between the log lines of the operator. */
export class DevOutput {
  readonly #context: CliContext;
  #limits: readonly string[] = [];

  constructor(context: CliContext) {
    this.#context = context;
  }

  /**
   * Prints the address of the cluster. For the embedded cluster, also prints its kubeconfig, which is the only line on `stdout`.
   */
  cluster({ cluster, kubeconfig }: DevCluster, ms: number): void {
    if (kubeconfig === undefined) return this.#say(`Developing on ${cluster.server} (${cluster.source})`);
    this.#say(`The embedded cluster answers at ${cluster.server} after ${secondsOf(ms)}. In other terminals:`);
    this.#context.stdout.write(`export KUBECONFIG=${kubeconfig}\n`);
  }

  saved(files: readonly string[]): void {
    const names = files.map((file) => shownPath(file, this.#context.cwd));
    const rest = names.length > SHOWN_FILES ? ` and ${names.length - SHOWN_FILES} more` : '';
    this.#say(`${names.slice(0, SHOWN_FILES).join(', ')}${rest} changed`, 'dim');
  }

  /** Prints the address of the live page. @param url - an address that is valid once */
  page(url: string): void {
    this.#say(`The live page (this address works once): ${url}`);
  }

  definitions(verdicts: readonly CrdVerdict[]): void {
    for (const verdict of verdicts.filter((each) => each.verdict !== 'same'))
      for (const line of verdictLines(this.#context, verdict, SHOWN_DIFFERENCES))
        this.#context.stderr.write(`${line}\n`);
  }

  /** Prints the limits of this cluster that the last call did not print. */
  limits({ limits }: Pick<Project, 'limits'>): void {
    for (const note of limits.filter((each) => !this.#limits.includes(each))) this.#say(note, 'yellow');
    this.#limits = limits;
  }

  applied(object: string, file: string): void {
    this.#say(`${object} of ${file} is applied`);
  }

  missing(file: string): void {
    this.#say(`${file} is not there; it is applied when it is`, 'yellow');
  }

  started(kinds: readonly ApiResource[], { ms, isFirst }: { readonly ms: number; readonly isFirst: boolean }): void {
    const names = kinds.map(({ kind }) => kind).join(', ');
    const what = isFirst ? `The operator of ${names} works after ${secondsOf(ms)}` : `Restarted in ${secondsOf(ms)}`;
    this.#say(`${what}. Ctrl-C ends it.`, 'green');
  }

  /** Prints that the kinds could not be loaded. @param message - the reason, with file and line if they are known */
  failed(message: string): void {
    this.#say(message, 'red');
  }

  error(error: unknown): void {
    this.#say(wordsOf(error), 'red');
  }

  /** Prints the state after an error. @param isRunning - whether an operator runs */
  goesOn(isRunning: boolean): void {
    this.#say(
      isRunning ? 'The old operator continues; the next save is tried again.' : 'The next save is tried again.',
    );
  }

  /** Prints that the operator ended by itself, or that its start failed. */
  ended(ended: Ended, pauseMs: number): void {
    this.#say(`${wordsOfEnd(ended)}; another one starts in ${secondsOf(pauseMs)}, or at the next save.`, 'red');
  }

  /** Prints commands that remove the remaining objects from the current cluster. If there are any, the exit code is 1. */
  left(commands: readonly string[]): void {
    if (commands.length === 0) return;
    this.#context.exitWith(1);
    this.#say(`Not everything could be removed; remove it:\n${commands.map((line) => `  ${line}`).join('\n')}`, 'red');
  }

  #say(text: string, style?: Style): void {
    const clean = printable(text);
    this.#context.stderr.write(`${style === undefined ? clean : this.#context.color(style, clean)}\n`);
  }
}
