import { SimulationError } from '#lib/errors.ts';
import { isPlainObject } from '#lib/json.ts';
import type { Scenario } from './scenario.ts';

const shown = (value: unknown): string =>
  typeof value === 'function' ? 'a function' : (JSON.stringify(value)?.slice(0, 80) ?? String(value));

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

const isFunction = (value: unknown): boolean => typeof value === 'function';

const isOptionalFunction = (value: unknown): boolean => value === undefined || isFunction(value);

const isScript = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every(({ label, run }: { label?: unknown; run?: unknown }) => isText(label) && isFunction(run));

const isHttp = ({ allowedHosts, answer }: { allowedHosts?: unknown; answer?: unknown }): boolean =>
  Array.isArray(allowedHosts) && allowedHosts.every(isText) && isFunction(answer);

interface Rule {
  readonly member: keyof Scenario;
  readonly allowed: string;
  readonly holds: (value: unknown) => boolean;
}

const RULES: readonly Rule[] = [
  { member: 'name', allowed: 'a text that is not empty', holds: isText },
  {
    member: 'kinds',
    allowed: 'a list of one definition at least, each made by defineKind()',
    holds: (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every(
        ({ kind, group, owns }: Record<string, unknown>) =>
          isText(kind) && isText(group) && Array.isArray(owns) && owns.every(isPlainObject),
      ),
  },
  {
    member: 'ownNamespace',
    allowed: 'the name of a namespace',
    holds: (value) => value === undefined || isText(value),
  },
  { member: 'script', allowed: 'a list of steps, each with a label and run()', holds: isScript },
  {
    member: 'operators',
    allowed: 'an integer, 1 or more',
    holds: (value) => value === undefined || (Number.isSafeInteger(value) && Number(value) >= 1),
  },
  {
    member: 'outcome',
    allowed: 'a function of the view; () => null for no comparison',
    holds: isFunction,
  },
  {
    member: 'invariants',
    allowed: 'a function that makes new invariants for each run',
    holds: isOptionalFunction,
  },
  { member: 'actors', allowed: 'a function that makes new actors for each run', holds: isOptionalFunction },
  {
    member: 'http',
    allowed: 'an object with a list of texts as allowedHosts and a function answer()',
    holds: (value) => value === undefined || (isPlainObject(value) && isHttp(value)),
  },
  { member: 'start', allowed: 'a function like startManager()', holds: isOptionalFunction },
];

/**
 * Checks the types of the members of a scenario.
 *
 * @throws {SimulationError} with the name of the invalid member, its value, and the allowed values
 */
export const assertScenario = (scenario: Scenario): void => {
  for (const { member, allowed, holds } of RULES) {
    const value: unknown = scenario[member];
    if (holds(value)) continue;
    throw new SimulationError(
      `Cannot simulate scenario "${scenario.name}": ${member} is ${shown(value)}; it must be ${allowed}`,
    );
  }
};
