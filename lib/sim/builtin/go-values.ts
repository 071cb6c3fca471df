import { isPlainObject, type JsonObject } from '#lib/kind/json.ts';
import type { FieldError } from '#lib/sim/machinery/field-error.ts';
import { goQuote } from '#lib/sim/machinery/go-text.ts';
import { optionalIn } from './members.ts';

const text = (value: unknown): string => {
  if (typeof value === 'string') return goQuote(value);
  if (Array.isArray(value)) return `[${value.map(text).join(',')}]`;
  if (!isPlainObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${goQuote(name)}:${text(member)}`).join(',')}}`;
};

/** `Invalid value: …` for a struct: its members stand in the order in which Go declares them, which is that of `value`. */
export const invalidStruct = (path: string, value: unknown, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field: path,
  message: `Invalid value: ${text(value)}: ${detail}`,
});

/** `Unsupported value: …` for a struct. */
export const unsupportedStruct = (path: string, value: unknown, supported: readonly string[]): FieldError => ({
  reason: 'FieldValueNotSupported',
  field: path,
  message: `Unsupported value: ${text(value)}: supported values: ${supported.map(goQuote).join(', ')}`,
});

/** `Duplicate value: …` for a struct. */
export const duplicateStruct = (path: string, value: unknown): FieldError => ({
  reason: 'FieldValueDuplicate',
  field: path,
  message: `Duplicate value: ${text(value)}`,
});

/** A reference to an owner. */
export const ownerValue = ({
  apiVersion,
  kind,
  name,
  uid,
  controller,
  blockOwnerDeletion,
}: JsonObject): JsonObject => ({
  apiVersion,
  kind,
  name,
  uid,
  controller,
  blockOwnerDeletion,
});

/** A label selector. */
export const selectorValue = ({ matchLabels, matchExpressions }: JsonObject): JsonObject => ({
  matchLabels,
  matchExpressions: Array.isArray(matchExpressions)
    ? (matchExpressions as readonly JsonObject[]).map(({ key, operator, values }) => ({ key, operator, values }))
    : undefined,
});

/** Members of Go's internal types have no JSON names: they are those of the struct, and pointers are null when unset. */
export const internal = (value: JsonObject | undefined, names: readonly string[]): JsonObject | null =>
  value === undefined
    ? null
    : Object.fromEntries(names.map((name) => [name, value[`${name.charAt(0).toLowerCase()}${name.slice(1)}`] ?? null]));

/** A seccomp profile. */
export const seccompValue = (profile: JsonObject | undefined): JsonObject | null =>
  internal(profile, ['Type', 'LocalhostProfile']);

/** The security context of a container. */
export const securityContextValue = (context: JsonObject): JsonObject => ({
  Capabilities: internal(optionalIn(context, 'capabilities'), ['Add', 'Drop']),
  Privileged: context['privileged'] ?? null,
  SELinuxOptions: internal(optionalIn(context, 'seLinuxOptions'), ['User', 'Role', 'Type', 'Level']),
  WindowsOptions: null,
  ...internal(context, [
    'RunAsUser',
    'RunAsGroup',
    'RunAsNonRoot',
    'ReadOnlyRootFilesystem',
    'AllowPrivilegeEscalation',
  ]),
  ProcMount: null,
  SeccompProfile: seccompValue(optionalIn(context, 'seccompProfile')),
  AppArmorProfile: null,
});
