import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ConnectionError } from '#lib/errors.ts';
import type { KubeApi } from '#lib/kube/api.ts';
import type { Listed } from './family.ts';

/** When to look again, in milliseconds. */
export interface AwaitOptions {
  /** Even without a change, so that ages go on. */
  readonly atMostMs: number;
  /** After a change, so that those that come together are seen together. */
  readonly settleMs: number;
  readonly signal: AbortSignal;
}

/** Watches end with the wait; a server may end them sooner. */
const WATCH_SECONDS = 300;

const watchOne = async (api: Pick<KubeApi, 'watch'>, listed: Listed, signal: AbortSignal): Promise<void> => {
  const { resource, namespace, resourceVersion } = listed;
  const where = namespace === undefined ? {} : { namespace };
  await new Promise<void>((changed, reject) => {
    const onEvent = ({ type }: { readonly type: string }): void => {
      if (type !== 'BOOKMARK') changed();
    };
    const options = { ...where, resourceVersion, timeoutSeconds: WATCH_SECONDS, signal };
    api.watch(resource, options, onEvent).then(changed, reject);
  });
};

/**
 * Waits until something happens to what was listed, or time has come to look again.
 *
 * Guarantees: nothing that happened since the lists is missed. Resolves when `signal` aborts, too.
 *
 * @param api - the API server
 * @param lists - what was seen, and how far
 */
export const awaitChange = async (
  api: Pick<KubeApi, 'watch'>,
  lists: readonly Listed[],
  { atMostMs, settleMs, signal }: AwaitOptions,
): Promise<void> => {
  const ending = new AbortController();
  const ended = AbortSignal.any([signal, ending.signal]);
  const timer = sleep(atMostMs, undefined, { signal: ended }).catch(() => undefined);
  try {
    await Promise.race([timer, ...lists.map((listed) => watchOne(api, listed, ended))]);
    if (!signal.aborted) await sleep(settleMs, undefined, { signal }).catch(() => undefined);
  } catch (error) {
    // History that is gone, a server that is restarted: the next look shows whether it lasts.
    if (!(error instanceof ApiError) && !(error instanceof ConnectionError)) throw error;
    await sleep(Math.min(atMostMs, 1000), undefined, { signal }).catch(() => undefined);
  } finally {
    ending.abort();
  }
};
