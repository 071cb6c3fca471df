import { Worker } from 'node:worker_threads';
import type { HttpReviewAnswer } from '#lib/conversion/webhook/answer.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import { createAnswering } from './answering.ts';
import { type FromThread, THREAD_ROLE, type ToThread } from './thread.ts';

/** The module that calls `run()`. The conversion thread loads it, too. */
export type Entry = string | URL;

/** Answers conversion reviews, in the conversion thread or in the main thread. */
export interface Converter {
  /**
   * Answers a review; never rejects. The conversion thread answers one review after the other, and skips a review for which
   * `isWanted` is false.
   */
  readonly convert: (text: string, isWanted: () => boolean) => Promise<HttpReviewAnswer>;
  /** Sets the key for the labels of converted objects without room for their kept data. All replicas have the same key. */
  useKey(key: string): void;
  close(): Promise<void>;
}

/** The time limit for the start of the thread, in milliseconds. Loading the modules takes a second on a busy node. */
const READY_MS = 30_000;
/** The time limit of a review in the conversion thread, in milliseconds. The API server waits for 30 s. */
const REVIEW_MS = 25_000;
/** The delay after a failed start of the thread, in milliseconds. */
const AGAIN_MS = 1000;

/**
 * The memory limits of the thread, in MiB. Reviews have at most 16 MiB together. Each review is in memory four times: as
 * text, as objects, as converted objects, and as the text of the response.
 */
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 };

const failed = (problem: string): HttpReviewAnswer => ({ status: 500, body: 'the review was not answered', problem });

/** The response to a review for which the API server no longer waits. The API server sends such a review again. */
const ABANDONED: HttpReviewAnswer = { status: 500, body: 'the review was not waited for' };

/** The name of a thrown value, which need not be an error. Its message is left out, because it may have parts of an object. */
const nameOfError = (error: unknown): string =>
  error instanceof Error ? error.name : 'something was thrown that is no error';

class Thread {
  readonly #worker: Worker;
  readonly ended: Promise<string>;
  #next = Promise.withResolvers<FromThread>();

  constructor(entry: Entry) {
    const url = entry instanceof URL || !entry.startsWith('file:') ? entry : new URL(entry);
    const options = { workerData: { role: THREAD_ROLE }, argv: process.argv.slice(2), resourceLimits: LIMITS };
    this.#worker = new Worker(url, options);
    const { promise, resolve } = Promise.withResolvers<string>();
    this.ended = promise;
    this.#worker.on('error', (error) => resolve(`the thread of conversions failed: ${nameOfError(error)}`));
    this.#worker.on('exit', () => resolve('the thread of conversions ended'));
    this.#worker.on('message', (message: FromThread) => {
      const { resolve: take } = this.#next;
      this.#next = Promise.withResolvers();
      take(message);
    });
  }

  post(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  /** @returns the next message of the thread, or the reason why no message came */
  async next(limitMs: number): Promise<FromThread | string> {
    const { promise: late, resolve } = Promise.withResolvers<string>();
    const cancel = systemTimers.setTimer(limitMs, () => resolve(`no answer within ${limitMs} ms`));
    const outcome = await Promise.race([this.#next.promise, this.ended, late]);
    cancel();
    return outcome;
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** A function that does not return blocks the main thread for up to five seconds. */
const inThisThread = async (kinds: readonly AnyKindDefinition[]): Promise<Converter> => {
  const answering = await createAnswering(kinds);
  return {
    convert: async (text) => answering.answer(text),
    useKey: (key) => answering.useKey(key),
    close: async () => undefined,
  };
};

/** Sends reviews to the thread, one at a time, and starts the thread again when it has ended. */
class ThreadConverter implements Converter {
  readonly #entry: Entry;
  #thread: Thread | undefined;
  #key = '';
  #queue: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(entry: Entry, thread: Thread) {
    this.#entry = entry;
    this.#take(thread);
  }

  readonly convert = async (text: string, isWanted: () => boolean): Promise<HttpReviewAnswer> => {
    const answer = this.#queue.then(async () => (isWanted() ? this.#ask(text) : ABANDONED));
    this.#queue = answer;
    return answer;
  };

  useKey(key: string): void {
    if (this.#key === key) return;
    this.#key = key;
    this.#thread?.post({ type: 'key', key });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread?.end();
  }

  #take(thread: Thread): void {
    this.#thread = thread;
    thread.post({ type: 'key', key: this.#key });
  }

  async #ask(text: string): Promise<HttpReviewAnswer> {
    const thread = this.#thread ?? (await this.#again());
    if (thread === undefined) return failed('the thread of conversions does not start');
    const next = thread.next(REVIEW_MS);
    thread.post({ type: 'review', text });
    const outcome = await next;
    if (typeof outcome !== 'string' && outcome.type === 'answer') return outcome.answer;
    this.#thread = undefined;
    await thread.end();
    return failed(typeof outcome === 'string' ? outcome : 'the thread of conversions started twice');
  }

  async #again(): Promise<Thread | undefined> {
    if (this.#isClosed) return undefined;
    const thread = await startThread(this.#entry);
    if (typeof thread === 'string') {
      const { promise, resolve } = Promise.withResolvers<void>();
      systemTimers.setTimer(AGAIN_MS, resolve);
      await promise;
      return undefined;
    }
    if (this.#isClosed) {
      await thread.end();
      return undefined;
    }
    this.#take(thread);
    return thread;
  }
}

/** @returns the reason if the thread does not start */
const startThread = async (entry: Entry): Promise<Thread | string> => {
  let thread: Thread;
  try {
    thread = new Thread(entry);
  } catch (error) {
    return `the thread of conversions failed: ${String(error)}`;
  }
  const outcome = await thread.next(READY_MS);
  if (typeof outcome !== 'string' && outcome.type === 'ready') return thread;
  await thread.end();
  return typeof outcome === 'string' ? outcome : 'it answers before it is ready';
};

/** The advice in the log for an operator whose conversions run in the main thread. */
export const ENTRY_ADVICE = 'pass entry: import.meta.url to run() in the module that the process starts with';

const start = async (
  kinds: readonly AnyKindDefinition[],
  { log, entry }: { readonly log: Pick<Logger, 'warn'>; readonly entry: Entry | undefined },
): Promise<Converter> => {
  if (entry === undefined) return inThisThread(kinds);
  const thread = await startThread(entry);
  if (typeof thread !== 'string') return new ThreadConverter(entry, thread);
  log.warn({ reason: thread, advice: ENTRY_ADVICE }, 'conversions run in the main thread');
  return inThisThread(kinds);
};

/**
 * Starts the converter in a thread that loads `entry` again. In this thread, `run()` answers reviews, and does not start the
 * operator.
 *
 * Guarantees: if a review blocks the thread or exhausts its memory, only the thread ends, and is started again.
 *
 * Caveats: without an entry point, or if the thread does not start, the main thread answers reviews without this protection.
 *
 * @param kinds - the kinds whose versions are converted by functions
 */
export const startConverter = (
  kinds: readonly AnyKindDefinition[],
  { log, entry }: { readonly log: Pick<Logger, 'warn'>; readonly entry: Entry | undefined },
): Converter => {
  const starting = start(kinds, { log, entry });
  return {
    convert: async (text, isWanted) => (await starting).convert(text, isWanted),
    useKey: (key) => void starting.then((converter) => converter.useKey(key)),
    close: async () => (await starting).close(),
  };
};
