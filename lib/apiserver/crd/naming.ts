import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { aggregateText, goQuote } from '#lib/apiserver/machinery/text/go-text.ts';
import { equalJson } from '#lib/json.ts';
import {
  type DefinitionCondition,
  type DefinitionNames,
  definitionStatus,
  isConditionTrue,
  specOf,
} from './definition.ts';

/** The input of {@link acceptNames}. */
export interface NamingContext {
  /** All stored CRDs. The list may include the CRD that is being checked. */
  readonly definitions: readonly ServerObject[];
  /** The current time, in the format RFC 3339 with whole seconds. */
  readonly now: string;
}

type NewCondition = Omit<DefinitionCondition, 'lastTransitionTime'>;

/**
 * Sets a condition of a CRD. The time of the condition changes only if its status changes.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apihelpers/helpers.go (`SetCRDCondition`)
 */
export const withDefinitionCondition = (
  definition: ServerObject,
  condition: NewCondition,
  now: string,
): ServerObject => {
  const status = definitionStatus(definition);
  const conditions = status.conditions ?? [];
  const old = conditions.find(({ type }) => type === condition.type);
  const { type, status: value, reason, message } = condition;
  const lastTransitionTime = old?.status === value ? (old.lastTransitionTime ?? now) : now;
  const next = { type, status: value, lastTransitionTime, reason, message };
  const all = old ? conditions.map((one) => (one === old ? next : one)) : [...conditions, next];
  return { ...definition, status: { ...status, conditions: all } };
};

interface Taken {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/** Returns the accepted names of all CRDs of a group. */
const takenNames = (group: string, definitions: readonly ServerObject[]): Taken => {
  const accepted = definitions
    .filter((definition) => specOf(definition).group === group)
    .map((definition) => definitionStatus(definition).acceptedNames ?? {});
  return {
    resources: new Set(
      accepted.flatMap(({ plural = '', singular = '', shortNames = [] }) => [plural, singular, ...shortNames]),
    ),
    kinds: new Set(accepted.flatMap(({ kind = '', listKind = '' }) => [kind, listKind])),
  };
};

interface Decision {
  readonly names: Partial<DefinitionNames>;
  readonly conflict: { readonly reason: string; readonly message: string } | undefined;
}

const inUse = (name: string): string => `${goQuote(name)} is already in use`;

const NAMES = [
  ['plural', 'PluralConflict'],
  ['singular', 'SingularConflict'],
  ['kind', 'KindConflict'],
  ['listKind', 'ListKindConflict'],
] as const;

interface Decided {
  readonly accepted: Partial<DefinitionNames>;
  readonly conflict?: Decision['conflict'];
}

const decideName = ([name, reason]: (typeof NAMES)[number], definition: ServerObject, taken: Taken): Decided => {
  const wanted = specOf(definition).names[name] ?? '';
  const had = definitionStatus(definition).acceptedNames?.[name] ?? '';
  const used = name === 'plural' || name === 'singular' ? taken.resources : taken.kinds;
  if (wanted !== had && used.has(wanted))
    return { accepted: { [name]: had }, conflict: { reason, message: inUse(wanted) } };
  return { accepted: { [name]: wanted } };
};

const decideShortNames = (definition: ServerObject, taken: Taken): Decided => {
  const { shortNames: wanted = [] } = specOf(definition).names;
  const { shortNames: had = [] } = definitionStatus(definition).acceptedNames ?? {};
  const refused = wanted.filter((name) => !had.includes(name) && taken.resources.has(name));
  if (refused.length === 0) return { accepted: wanted.length > 0 ? { shortNames: wanted } : {} };
  const conflict = { reason: 'ShortNamesConflict', message: aggregateText(refused.map(inUse)) };
  return { accepted: had.length > 0 ? { shortNames: had } : {}, conflict };
};

/** Decides which names are accepted. If there are several conflicts, the last conflict is reported. */
const decide = (definition: ServerObject, taken: Taken): Decision => {
  const [plural, singular, kind, listKind] = NAMES;
  const decided = [
    decideName(plural, definition, taken),
    decideName(singular, definition, taken),
    decideShortNames(definition, taken),
    decideName(kind, definition, taken),
    decideName(listKind, definition, taken),
  ];
  const { categories } = specOf(definition).names;
  const names = Object.assign({}, ...decided.map(({ accepted }) => accepted)) as Partial<DefinitionNames>;
  return {
    names: categories ? { ...names, categories } : names,
    conflict: decided.findLast(({ conflict }) => conflict !== undefined)?.conflict,
  };
};

const nonEmpty = (names: Partial<DefinitionNames>): Partial<DefinitionNames> => ({
  plural: '',
  kind: '',
  ...Object.fromEntries(Object.entries(names).filter(([, name]) => name !== '')),
});

const establishedBefore = (definition: ServerObject): NewCondition => {
  const old = (definitionStatus(definition).conditions ?? []).find(({ type }) => type === 'Established');
  return old ?? { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
};

const INSTALLING: NewCondition = {
  type: 'Established',
  status: 'False',
  reason: 'Installing',
  message: 'the initial names have been accepted',
};

/**
 * Runs the naming controller on a CRD. Accepts names that are not accepted names of other CRDs of the group. Sets
 * the conditions NamesAccepted and Established.
 *
 * @returns the same CRD when there is nothing to do
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/controller/status/naming_controller.go
 */
export const acceptNames = (definition: ServerObject, { definitions, now }: NamingContext): ServerObject => {
  const { group, names } = specOf(definition);
  if (equalJson(names, definitionStatus(definition).acceptedNames)) return definition;
  const others = definitions.filter(({ metadata }) => metadata.name !== definition.metadata.name);
  const { names: accepted, conflict } = decide(definition, takenNames(group, [...others, definition]));
  const namesAccepted: NewCondition =
    conflict === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...conflict };
  const before = establishedBefore(definition);
  const established = before.status !== 'True' && conflict === undefined ? INSTALLING : before;
  const named = { ...definition, status: { ...definitionStatus(definition), acceptedNames: nonEmpty(accepted) } };
  const next = withDefinitionCondition(withDefinitionCondition(named, namesAccepted, now), established, now);
  return equalJson(next['status'], definition['status']) ? definition : next;
};

/**
 * Runs the establishing controller on a CRD: sets the condition Established to True if all names are accepted.
 *
 * @returns the same CRD when there is nothing to do
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/controller/establish/establishing_controller.go
 */
export const establish = (definition: ServerObject, now: string): ServerObject => {
  if (!isConditionTrue(definition, 'NamesAccepted') || isEstablished(definition)) return definition;
  const condition = {
    type: 'Established',
    status: 'True',
    reason: 'InitialNamesAccepted',
    message: 'the initial names have been accepted',
  };
  return withDefinitionCondition(definition, condition, now);
};

/** Whether the condition Established is True. The server then serves the defined kind. */
export const isEstablished = (definition: ServerObject): boolean => isConditionTrue(definition, 'Established');
