import { startManager } from '#lib/loop/manager/manager.ts';
import type { Scenario } from '#lib/sim/world/scenario/scenario.ts';
import type { Observer } from './observer.ts';

/** Returns a function that starts a loop, and with which an observer receives the reasons of writes to children. */
export const startObserved =
  (observer: () => Observer | undefined): NonNullable<Scenario['start']> =>
  (options) =>
    startManager({
      ...options,
      onChildWritten: ({ reason: why, ...child }) => observer()?.because({ ...child, why }),
    });
