import type { Issue } from '#lib/errors.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { conditionBounds } from '#lib/kind/schema/condition-schema.ts';
import { CHILD_OVERRIDDEN, derivedConditionTypes, STATUS_IMPAIRED } from './conditions.ts';
import { limitIssues } from './result-limits.ts';

const verbs = new Set<unknown>(['apply', 'keep', 'adopt', 'release', 'remove']);
const states = new Set<unknown>(['ready', 'progressing', 'stalled']);
const eventTypes = new Set<unknown>(['Normal', 'Warning']);
const conditionStatuses = new Set<unknown>(['True', 'False', 'Unknown']);

const fits = ({ maxLength, pattern = '' }: { readonly maxLength: number; readonly pattern?: string }) => {
  const expression = new RegExp(pattern);
  return (value: unknown): boolean => typeof value === 'string' && value.length <= maxLength && expression.test(value);
};

const isType = fits(conditionBounds.type);
const isReason = fits(conditionBounds.reason);
const isMessage = fits(conditionBounds.message);

const wrong = (path: string, message: string, value: unknown): Issue => ({ path, message, value, rule: 'result' });

const explanationIssues = (path: string, { reason, message }: JsonObject): Issue[] => [
  ...(isReason(reason) ? [] : [wrong(`${path}.reason`, 'must be one word in CamelCase', reason)]),
  ...(isMessage(message)
    ? []
    : [wrong(`${path}.message`, `must be text of at most ${conditionBounds.message.maxLength} characters`, message)]),
];

const stateIssues = ({ state }: JsonObject): Issue[] => {
  if (!isPlainObject(state)) return [wrong('state', 'must be a result of ready(), progressing() or stalled()', state)];
  const known = states.has(state['state']);
  return [
    ...(known ? [] : [wrong('state.state', `must be one of ${[...states].join(', ')}`, state['state'])]),
    ...explanationIssues('state', state),
  ];
};

const removalIssues = (path: string, { because, gracePeriodSeconds: seconds = 0 }: JsonObject): Issue[] => {
  const isGrace = Number.isSafeInteger(seconds) && Number(seconds) >= 0;
  return [
    ...(isReason(because) ? [] : [wrong(`${path}.because`, 'must be one word in CamelCase', because)]),
    ...(isGrace ? [] : [wrong(`${path}.gracePeriodSeconds`, 'must be a whole number of at least 0', seconds)]),
  ];
};

const intentIssues = (path: string, intent: unknown): Issue[] => {
  if (!isPlainObject(intent) || !isPlainObject(intent['object']))
    return [wrong(path, 'must be what apply(), keep(), … return', intent)];
  const { verb } = intent;
  if (!verbs.has(verb)) return [wrong(`${path}.verb`, `must be one of ${[...verbs].join(', ')}`, verb)];
  return verb === 'remove' ? removalIssues(path, intent) : [];
};

const childrenIssues = ({ children }: JsonObject): Issue[] =>
  Array.isArray(children)
    ? children.flatMap((intent: unknown, index) => intentIssues(`children[${index}]`, intent))
    : [wrong('children', 'must be a list of intents', children)];

const conditionIssues = (path: string, condition: unknown): Issue[] => {
  if (!isPlainObject(condition)) return [wrong(path, 'must be a condition', condition)];
  const { type, status } = condition;
  const derived = [...derivedConditionTypes, STATUS_IMPAIRED, CHILD_OVERRIDDEN].some((name) => name === type);
  return [
    ...(isType(type) ? [] : [wrong(`${path}.type`, 'must be one word in CamelCase', type)]),
    ...(derived
      ? [wrong(`${path}.type`, 'is derived from the state by the library: return a state instead', type)]
      : []),
    ...(conditionStatuses.has(status) ? [] : [wrong(`${path}.status`, 'must be True, False or Unknown', status)]),
    ...explanationIssues(path, condition),
  ];
};

const conditionsIssues = ({ conditions = [] }: JsonObject): Issue[] => {
  if (!Array.isArray(conditions)) return [wrong('conditions', 'must be a list', conditions)];
  const types = conditions.map((condition: unknown) => (isPlainObject(condition) ? condition['type'] : undefined));
  const twice = types.findIndex((type, index) => types.indexOf(type) !== index);
  const repeated = twice === -1 ? [] : [wrong(`conditions[${twice}].type`, 'must come once', types[twice])];
  return [...conditions.flatMap((condition, index) => conditionIssues(`conditions[${index}]`, condition)), ...repeated];
};

const eventIssues = (path: string, event: unknown): Issue[] => {
  if (!isPlainObject(event)) return [wrong(path, 'must be an event', event)];
  const { type } = event;
  const known = eventTypes.has(type);
  return [
    ...(known ? [] : [wrong(`${path}.type`, `must be one of ${[...eventTypes].join(', ')}`, type)]),
    ...explanationIssues(path, event),
  ];
};

const eventsIssues = ({ events = [] }: JsonObject): Issue[] =>
  Array.isArray(events)
    ? events.flatMap((event: unknown, index) => eventIssues(`events[${index}]`, event))
    : [wrong('events', 'must be a list', events)];

/**
 * Checks the form of the result of a function. The compiler cannot check functions in plain JavaScript or with casts. Without
 * this check, the loop could write some children before it finds a mistake.
 *
 * @param result - the result of `desired()`
 * @returns the issues; empty for a valid form. If {@link limitIssues} finds issues, only these
 */
export const resultIssues = (result: unknown): Issue[] => {
  if (!isPlainObject(result))
    return [wrong('', 'must be an object with children, status and state; not a promise', result)];
  const beyond = limitIssues(result);
  if (beyond.length > 0) return beyond;
  const { status } = result;
  const statusIssues = isPlainObject(status) ? [] : [wrong('status', 'must be an object', status)];
  return [
    ...childrenIssues(result),
    ...statusIssues,
    ...stateIssues(result),
    ...conditionsIssues(result),
    ...eventsIssues(result),
  ];
};
