import { randomUUID } from 'node:crypto';
import { stringify } from 'yaml';
import type { SteeringEdit } from '#lib/desired/steering.ts';
import { ConfigurationError } from '#lib/errors.ts';
import {
  type PageAnswer,
  type PreparedWrite,
  ROLLOUT_COMMANDS,
  type RolloutCommand,
} from '#lib/foresight/page/live/trial.ts';
import { reportObjectText } from '#lib/foresight/page/report-run.ts';
import { systemTimers, type Timers } from '#lib/kube/interface/timers.ts';
import { wordsOf } from '../../../../shell/report.ts';
import type { DevCluster } from '../../cluster/dev-cluster.ts';
import { type PageObject, pageProblem } from '../page-manifest.ts';
import { BUSY_WORKER, type SteerOrder, type WorkerAnswer, type WorkerPlace } from '../worker/orders.ts';
import type { WorkerProcess } from '../worker/worker-process.ts';
import { type ReadyManifest, readyManifests, requestText, writeManifest } from './apply-writes.ts';

/** Options for {@link PageWrites}. */
export interface PageWritesOptions {
  readonly dev: Pick<DevCluster, 'cluster'>;
  readonly place: WorkerPlace;
  readonly worker: Pick<WorkerProcess, 'execute'>;
  /** The clock for the time limit of consent. @default the clock of this process */
  readonly timers?: Pick<Timers, 'elapsed'>;
}

/** A request of the page that prepares a write: to apply tried manifests, or a command to a rollout. */
export type WriteWish = { readonly apply: string } | { readonly object: PageObject; readonly command: RolloutCommand };

type Write = () => Promise<readonly string[]>;

interface WaitingWrite {
  readonly write: Write;
  /** The time after which the write is no longer possible, by `Timers.elapsed`. */
  readonly untilMs: number;
}

/** The worker executes another order, so nothing was written. */
class BusyWorkerError extends ConfigurationError {
  constructor() {
    super(BUSY_WORKER);
  }
}

/** The problem of an order that was not executed as expected. */
const problemOf = (answer: WorkerAnswer): ConfigurationError => {
  if (answer.type === 'busy') return new BusyWorkerError();
  return new ConfigurationError(answer.type === 'failed' ? answer.problem.message : 'There is no answer; try again');
};

/** The kind and the name of an object, as commands accept them. */
const wordOf = ({ kind, group, name }: PageObject): string =>
  `${kind.toLowerCase()}${group === undefined ? '' : `.${group}`}/${name}`;

/** Time limit of consent, in milliseconds. */
const CONSENT_MS = 600_000;

/** Maximum number of remembered manifests, and of prepared writes. The oldest are forgotten first. */
const MAX_REMEMBERED = 20;

const remember = <Value>(map: Map<string, Value>, value: Value): string => {
  const id = randomUUID();
  map.set(id, value);
  const [oldest] = map.keys();
  if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest);
  return id;
};

const nested = ({ path, value }: SteeringEdit): unknown =>
  path.toReversed().reduce<unknown>((inner, name) => ({ [name]: inner }), value);

const editsText = (edits: readonly SteeringEdit[]): string =>
  edits.map((edit) => stringify(nested(edit), { lineWidth: 0 })).join('');

/**
 * The writes of the page. Each has two steps: the page gets what would be written, and sends the id of this write after the
 * user has consented. The second step writes exactly this, object by object, and stops at the first failure.
 */
export class PageWrites {
  readonly #options: PageWritesOptions;
  readonly #timers: Pick<Timers, 'elapsed'>;
  readonly #tried = new Map<string, string>();
  readonly #prepared = new Map<string, WaitingWrite>();

  constructor(options: PageWritesOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
  }

  /** Remembers tried manifests. @returns the id with which they can be applied */
  remember(yaml: string): string {
    return remember(this.#tried, yaml);
  }

  /** Prepares a write, and writes nothing. */
  async prepare(wish: WriteWish): Promise<PageAnswer<{ readonly write: PreparedWrite }>> {
    try {
      return { write: await ('apply' in wish ? this.#prepareApply(wish.apply) : this.#prepareCommand(wish)) };
    } catch (error) {
      return pageProblem(wordsOf(error));
    }
  }

  /** Executes a prepared write once, within ten minutes. If the worker is busy, the write stays prepared. */
  async confirm(id: string): Promise<PageAnswer<{ readonly done: readonly string[] }>> {
    const waiting = this.#prepared.get(id);
    this.#prepared.delete(id);
    if (waiting === undefined || this.#timers.elapsed() > waiting.untilMs)
      return pageProblem('This write is no longer waiting for consent; begin again');
    try {
      return { done: await waiting.write() };
    } catch (error) {
      const mayConfirm = error instanceof BusyWorkerError;
      if (mayConfirm) this.#prepared.set(id, waiting);
      return { problem: { message: wordsOf(error), ...(mayConfirm && { mayConfirm }) } };
    }
  }

  #wait(write: Write): string {
    return remember(this.#prepared, { write, untilMs: this.#timers.elapsed() + CONSENT_MS });
  }

  async #prepareApply(id: string): Promise<PreparedWrite> {
    const yaml = this.#tried.get(id);
    if (yaml === undefined) throw new ConfigurationError('This trial is too old; try the manifest again');
    const { dev } = this.#options;
    const ready = await readyManifests(dev, yaml);
    const parts = ready.flatMap((each) =>
      each.request === undefined
        ? []
        : [
            {
              object: each.object,
              action: each.request.verb === 'create' ? ('create' as const) : ('change' as const),
              text: requestText(each),
            },
          ],
    );
    const write = async (): Promise<readonly string[]> => this.#apply(ready);
    return { id: this.#wait(write), title: 'Apply the tried change', parts };
  }

  async #apply(ready: readonly ReadyManifest[]): Promise<readonly string[]> {
    const done: string[] = [];
    try {
      for (const each of ready) done.push(await writeManifest(this.#options.dev, each));
    } catch (error) {
      if (done.length === 0) throw error;
      throw new ConfigurationError(`${done.join('; ')}; then: ${wordsOf(error)}`, { cause: error });
    }
    return done;
  }

  async #prepareCommand({ object, command }: Extract<WriteWish, { object: PageObject }>): Promise<PreparedWrite> {
    const { worker, place } = this.#options;
    const { namespace } = object;
    const where = { ...place, ...(namespace !== undefined && { namespace }) };
    const order: SteerOrder = {
      type: 'prepare',
      word: wordOf(object),
      verb: command,
      id: randomUUID(),
    };
    const answer = await worker.execute({ ...where, ...order });
    if (answer.type !== 'prepared') throw problemOf(answer);
    const { edits, says, uid } = answer;
    if (edits.length === 0) throw new ConfigurationError(`Nothing to write: ${reportObjectText(object)} ${says}`);
    const write = async (): Promise<readonly string[]> => {
      const result = await worker.execute({ ...where, ...order, type: 'steer', expected: { edits, uid } });
      if (result.type === 'steered') return [result.text];
      throw problemOf(result);
    };
    return {
      id: this.#wait(write),
      title: `${ROLLOUT_COMMANDS[command]}: ${reportObjectText(object)}`,
      parts: [{ object: reportObjectText(object), action: 'change', text: editsText(edits) }],
    };
  }
}
