import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, ConnectionError } from '#lib/errors.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import type { Listed } from './family.ts';

/** The time limits of a wait, in milliseconds, and a signal that ends the wait. */
export interface AwaitOptions {
  /** The maximum wait if no object changes. */
  readonly atMostMs: number;
  /** The wait after a change, so that further changes at the same time are shown together. */
  readonly settleMs: number;
  readonly signal: AbortSignal;
}

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
 * Waits until an object in one of the lists is created, changed or deleted, a watch ends or fails, or the maximum wait is over.
 *
 * Guarantees: a change after the lists were read ends the wait, even if the change comes before this call. The wait also ends
 * when `signal` aborts.
 *
 * @param api - the API server
 * @param lists - the lists and their resource versions
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
    // For example, the resource version has expired, or the server has restarted. If the error occurs again, the next read
    // reports it.
    if (!(error instanceof ApiError) && !(error instanceof ConnectionError)) throw error;
    await sleep(Math.min(atMostMs, 1000), undefined, { signal }).catch(() => undefined);
  } finally {
    ending.abort();
  }
};
