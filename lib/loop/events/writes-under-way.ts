import type { KubeApi } from '#lib/kube/interface/api.ts';
import { aroundWrites } from '#lib/loop/flow/around-writes.ts';

/** An API that counts running writes. */
export interface WatchedApi {
  readonly api: KubeApi;
  /** True while a write has no answer yet. */
  readonly isBusy: () => boolean;
}

/** Counts the writes of the loop, so that others can wait until there are none. */
export const watchWrites = (api: KubeApi): WatchedApi => {
  let underWay = 0;
  const counted = async <T>(write: () => Promise<T>): Promise<T> => {
    underWay += 1;
    try {
      return await write();
    } finally {
      underWay -= 1;
    }
  };
  return { api: aroundWrites(api, counted), isBusy: () => underWay > 0 };
};
