import { optionalIn } from '#lib/apiserver/machinery/members.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';

const sorted = (map: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))));

/** Converts a label selector to the form in messages. */
export const selectorValue = ({ matchLabels, matchExpressions }: JsonObject): JsonObject => ({
  // Keys are sorted, because Go prints maps with sorted keys.
  matchLabels: isPlainObject(matchLabels) ? sorted(matchLabels) : undefined,
  matchExpressions: Array.isArray(matchExpressions)
    ? (matchExpressions as readonly JsonObject[]).map(({ key, operator, values }) => ({ key, operator, values }))
    : undefined,
});

/** Converts an object to the form of Go's internal types, for messages: with Go names, and with null for absent fields. */
export const internal = (value: JsonObject | undefined, names: readonly string[]): JsonObject | null =>
  value === undefined
    ? null
    : Object.fromEntries(names.map((name) => [name, value[`${name.charAt(0).toLowerCase()}${name.slice(1)}`] ?? null]));

/** Converts a seccomp profile to the form in messages. */
export const seccompValue = (profile: JsonObject | undefined): JsonObject | null =>
  internal(profile, ['Type', 'LocalhostProfile']);

/** Converts the security context of a container to the form in messages. */
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
