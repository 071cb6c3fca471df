import type { KubeApi } from '#lib/kube/interface/api.ts';
import { aroundWrites } from '#lib/loop/flow/around-writes.ts';

/** An API that counts running writes. */
export interface WatchedApi {
  readonly api: KubeApi;
  /** Whether a write is running: a request that has no response yet. */
  readonly isBusy: () => boolean;
}

/** Counts the running writes of a client, so that less important writes can wait until no write is running. */
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
