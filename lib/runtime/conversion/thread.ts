import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import type { HttpReviewAnswer } from '#lib/conversion/webhook/answer.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { needsWebhook } from '#lib/kind/versions/webhook.ts';
import { createAnswering } from './answering.ts';

/** The value that distinguishes the thread of conversions from other threads. */
export const THREAD_ROLE = 'cdk8s-reconcile conversions';

/** A message to the thread. */
export type ToThread =
  | { readonly type: 'review'; readonly text: string }
  | { readonly type: 'key'; readonly key: string };

/** A message of the thread: first that the thread is ready, and then the response to each review. */
export type FromThread = { readonly type: 'ready' } | { readonly type: 'answer'; readonly answer: HttpReviewAnswer };

/** Kinds whose versions are converted by calling their functions. */
export const convertedKinds = (kinds: readonly AnyKindDefinition[]): readonly AnyKindDefinition[] =>
  kinds.filter((kind) => needsWebhook(kind));

/**
 * Whether this is the thread of conversions, which runs the entry point of the operator. In this thread, `run()` answers reviews,
 * and does not start the operator.
 */
export const isConversionThread = (): boolean =>
  !isMainThread && (workerData as { readonly role?: unknown } | undefined)?.role === THREAD_ROLE;

const post = (message: FromThread): void => parentPort?.postMessage(message);

/** Answers reviews until the main thread ends this thread. */
export const serveThread = async (kinds: readonly AnyKindDefinition[]): Promise<never> => {
  const answering = await createAnswering(convertedKinds(kinds));
  parentPort?.on('message', (message: ToThread) => {
    if (message.type === 'key') answering.useKey(message.key);
    else post({ type: 'answer', answer: answering.answer(message.text) });
  });
  post({ type: 'ready' });
  return new Promise<never>(() => undefined);
};
