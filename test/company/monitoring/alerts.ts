import { OPERATOR } from '#test/control-plane/install.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { FLAPPING } from './install.ts';
import type { ActiveAlert } from './prometheus.ts';
import type { Scene } from './scene.ts';

const isAbout = (operator: string, name: string, { labels }: ActiveAlert): boolean =>
  labels['alertname'] === name && labels['operator'] === operator;

/** @returns the state of an alert about one of the operators */
const stateOf = (all: readonly ActiveAlert[], operator: string, name: string): ActiveAlert['state'] | undefined =>
  all.find((alert) => isAbout(operator, name, alert))?.state;

const textOf = ({ labels, state }: ActiveAlert): string =>
  `${labels['alertname']} of ${labels['operator']} ${labels['namespace']}/${labels['name'] ?? labels['controller'] ?? ''} ${state}`;

/** Six minutes until an alert fires, and as many for the events before. */
const LIMIT_MS = 10 * 60_000;

/**
 * Waits until the alert about the operator that never leads fires, and the alert about the failing resource is at least
 * pending: it fires only after an hour.
 *
 * @throws {Error} with the current alerts
 */
export const assertAlerts = async ({ main }: Scene): Promise<string> => {
  let all: readonly ActiveAlert[] = [];
  const areThere = async (): Promise<boolean> => {
    all = await main.alerts();
    return (
      stateOf(all, FLAPPING, 'OperatorWithoutLeader') === 'firing' &&
      stateOf(all, OPERATOR, 'OperatorResourceFails') !== undefined
    );
  };
  await waitFor('the alerts', areThere, { timeoutMs: LIMIT_MS, pollMs: 2000 }).catch(() => {
    throw new Error(`alerts: ${all.map(textOf).join(', ')}`);
  });
  const wrong = all.filter((alert) => alert.labels['operator'] === OPERATOR && alert.labels['severity'] === 'critical');
  if (wrong.length > 0) throw new Error(`about an operator that is well: ${wrong.map(textOf).join(', ')}`);
  return all.map(textOf).toSorted().join(', ');
};
