import { derivedConditionTypes } from '#lib/desired/result/conditions.ts';
import type { DesiredCondition, DesiredEvent, Effect } from '#lib/desired/result/desired.ts';
import type { State } from '#lib/desired/result/state.ts';
import { isPlainObject } from '#lib/json.ts';

interface Told {
  readonly kind: string;
  readonly name: string;
  readonly state: State;
  readonly status: { readonly conditions: readonly DesiredCondition[] };
  readonly children: readonly {
    readonly step: string;
    readonly reason: string;
    readonly kind: string;
    readonly name: string;
  }[];
  readonly events: readonly DesiredEvent[];
  readonly effects: readonly Effect[];
}

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];

const sentence = (reason: string, message: string): string => (message === '' ? reason : `${reason}: ${message}`);

const effectInWords = (effect: Effect): string => {
  if (effect.effect === 'dryRun')
    return `${effect.key}: dry run of ${effect.object.kind ?? '?'} ${effect.object.metadata?.name ?? '?'}`;
  const { method, url } = effect.request;
  return `${effect.key}: ${method} ${typeof url === 'string' ? url : `the address in Secret ${url.secretName}`}`;
};

const shown = (value: unknown): string =>
  isPlainObject(value) || Array.isArray(value) || value === '' ? JSON.stringify(value) : String(value);

const WIDTH = 'release'.length;

/** A pass as text: state, status, conditions of the kind, children, events, effects. Empty parts are left out. */
export const inWords = ({ kind, name, state, status, children, events, effects }: Told): string => {
  const own = status.conditions.filter(({ type }) => !derivedConditionTypes.includes(type));
  const fields = Object.entries(status).filter(([field]) => field !== 'conditions' && field !== 'observedGeneration');
  return [
    `${kind} "${name}" is ${state.state}, ${sentence(state.reason, state.message)}`,
    ...section(
      'status',
      fields.map(([field, value]) => `${field}: ${shown(value)}`),
    ),
    ...section(
      'conditions',
      own.map((each) => `${each.type}=${each.status} ${sentence(each.reason, each.message)}`),
    ),
    ...section(
      'children',
      children.map((child) => `${child.step.padEnd(WIDTH)} ${child.kind} ${child.name} (${child.reason})`),
    ),
    ...section(
      'events',
      events.map((event) => `${event.type} ${sentence(event.reason, event.message)}`),
    ),
    ...section('effects', effects.map(effectInWords)),
    '',
  ].join('\n');
};
