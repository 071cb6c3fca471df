import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import type { HttpReviewAnswer } from '#lib/conversion/webhook/answer.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { needsWebhook } from '#lib/kind/versions/webhook.ts';
import { createAnswering } from './answering.ts';

/** The `role` in the worker data of the conversion thread. */
export const THREAD_ROLE = 'cdk8s-reconcile conversions';

/** A message to the thread. */
export type ToThread =
  | { readonly type: 'review'; readonly text: string }
  | { readonly type: 'key'; readonly key: string };

/** A message from the thread: one `ready` after its start, and one `answer` for each review. */
export type FromThread = { readonly type: 'ready' } | { readonly type: 'answer'; readonly answer: HttpReviewAnswer };

/** Selects the kinds that need a conversion webhook. */
export const convertedKinds = (kinds: readonly AnyKindDefinition[]): readonly AnyKindDefinition[] =>
  kinds.filter((kind) => needsWebhook(kind));

/**
 * Whether the current thread is the conversion thread. In the conversion thread, `run()` answers reviews, and does not start
 * the operator.
 */
export const isConversionThread = (): boolean =>
  !isMainThread && (workerData as { readonly role?: unknown } | undefined)?.role === THREAD_ROLE;

const post = (message: FromThread): void => parentPort?.postMessage(message);

/** Answers reviews until the main thread ends this thread. The promise never settles, unless the start fails. */
export const serveThread = async (kinds: readonly AnyKindDefinition[]): Promise<never> => {
  const answering = await createAnswering(convertedKinds(kinds));
  parentPort?.on('message', (message: ToThread) => {
    if (message.type === 'key') answering.useKey(message.key);
    else post({ type: 'answer', answer: answering.answer(message.text) });
  });
  post({ type: 'ready' });
  return new Promise<never>(() => undefined);
};
