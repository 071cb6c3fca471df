import { startManager } from '#lib/loop/manager/manager.ts';
import type { Guard } from '#lib/sim/world/guard/guard.ts';
import type { Scenario } from '#lib/sim/world/scenario/scenario.ts';
import { OperatorHost, type OperatorHostOptions } from './operator-host.ts';

/** Options that all hosts of a cluster share. */
export interface HostsOptions extends Omit<OperatorHostOptions, 'name' | 'kinds' | 'ownNamespace' | 'start' | 'since'> {
  /** Records the calls of functions under test. */
  readonly guard: Guard;
}

/** The hosts on which the operators of a scenario run: `operator-1`, `operator-2`, … */
export const hostsOf = (
  { kinds, ownNamespace, operators = 1, start = startManager }: Scenario,
  { guard, ...shared }: HostsOptions,
): OperatorHost[] => {
  const watched = guard.overAll(kinds);
  let sequence = 0;
  const since = (): number => sequence++;
  return Array.from({ length: operators }, (_, index) => {
    return new OperatorHost({ ...shared, since, name: `operator-${index + 1}`, kinds: watched, ownNamespace, start });
  });
};
