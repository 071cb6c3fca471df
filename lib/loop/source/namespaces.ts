import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ConfigurationError } from '#lib/errors.ts';
import { isDns1123Label } from '#lib/kind/dns.ts';
import { resourceName } from '#lib/kind/handles/reference.ts';

const WAY_OUT = 'name namespaces as in "team-a,team-b", or leave it out for all of them';

/**
 * Reads a list of namespaces in the format of `WATCH_NAMESPACE` of operator-sdk: separated by commas. An empty list means all
 * namespaces.
 *
 * @returns each namespace once, in the given order; undefined for all namespaces
 * @throws {ConfigurationError} for a name that no namespace can have
 * @example
 * namespacesIn('team-a,team-b'); // ['team-a', 'team-b']
 */
export const namespacesIn = (text: string | undefined): readonly string[] | undefined => {
  if (text === undefined || text.trim() === '') return undefined;
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  const bad = names.find((name) => !isDns1123Label(name));
  if (bad === undefined) return names;
  throw new ConfigurationError(
    `WATCH_NAMESPACE is "${text}": "${bad}" cannot be the name of a namespace (at most 63 lower-case letters, digits and ` +
      `"-", with a letter or digit at either end); ${WAY_OUT}`,
  );
};

const refuse = (what: string): never => {
  throw new ConfigurationError(`Cannot start: ${what}; ${WAY_OUT}`);
};

/**
 * Throws an error for namespaces that cannot be watched for these kinds.
 *
 * @throws {ConfigurationError} for a value that is not a list, an empty list, or a repeated or invalid name; for a cluster-scoped
 *   kind that owns namespaced objects, because its children in other namespaces would never be observed
 */
export const assertNamespaces = (namespaces: readonly string[], kinds: readonly AnyKindDefinition[]): void => {
  if (!Array.isArray(namespaces)) refuse(`namespaces is ${JSON.stringify(namespaces)}, which is no list`);
  if (namespaces.length === 0) refuse('namespaces is empty');
  const bad = namespaces.find((name) => !isDns1123Label(name));
  if (bad !== undefined) refuse(`namespaces has "${bad}", which cannot be the name of a namespace`);
  const twice = namespaces.find((name, index) => namespaces.indexOf(name) !== index);
  if (twice !== undefined) refuse(`namespaces has "${twice}" twice`);
  for (const { kind, scope, owns } of kinds) {
    const child = scope === 'Cluster' && owns.find((owned) => owned.scope === 'Namespaced');
    if (child)
      refuse(`${kind} belongs to no namespace and owns ${resourceName(child)}, which some namespaces would hide`);
  }
};
