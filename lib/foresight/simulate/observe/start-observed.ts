import { startManager } from '#lib/loop/manager/manager.ts';
import type { Scenario } from '#lib/sim/world/scenario/scenario.ts';
import { withReasons } from './listening.ts';
import type { Observer } from './observer.ts';

/**
 * Returns a function that starts a loop, and with which an observer receives the reasons of writes to children.
 *
 * @param observer - called when a loop starts
 */
export const startObserved =
  (observer: () => Observer): NonNullable<Scenario['start']> =>
  (options) =>
    startManager(withReasons(options, observer()));
