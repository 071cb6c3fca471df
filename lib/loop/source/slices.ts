import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';

/** The number of objects that are added at a time when the cache is filled for the first time; they take some milliseconds. */
export const SLICE = 250;

/** Adds the objects of a long list in parts, so that the thread is free in between. */
export const addInSlices = async (
  items: readonly ApiObject[],
  { add, timers }: { readonly add: (object: ApiObject) => void; readonly timers: Pick<Timers, 'setTimer'> },
): Promise<void> => {
  for (let begin = 0; begin < items.length; begin += SLICE) {
    items.slice(begin, begin + SLICE).forEach(add);
    const { promise, resolve } = Promise.withResolvers<void>();
    timers.setTimer(0, resolve);
    await promise;
  }
};
