import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { tryNearest } from '#lib/kind/value/suggestion.ts';
import { type Impossible, NOT_FOUND } from './impossible.ts';
import type { KnownKind } from './known-kinds.ts';
import type { UserTargets } from './script-targets.ts';

/** An object that a script names. */
export interface FoundObject {
  readonly known: KnownKind;
  readonly object: ServerObject;
  /** The resource, namespace and name of the object, for a request. */
  readonly request: Pick<ServerRequest, 'resource' | 'namespace' | 'name'>;
  /** The object in words, such as `Deployer default/nginx`. */
  readonly text: string;
}

const SHOWN = 8;

/** Lists the first eight names as a sentence, with the number of further names. */
export const listed = (names: readonly string[]): string => {
  if (names.length === 0) return 'there is none';
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  return `there ${names.length === 1 ? 'is' : 'are'} ${names.slice(0, SHOWN).join(', ')}${more}`;
};

/** The object in words, such as `Deployer default/nginx`. */
export const textOfObject = ({ kind, metadata }: ServerObject): string =>
  `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;

const suggestion = (name: string, names: readonly string[]): { readonly fix?: string } => {
  const nearest = tryNearest(name, names);
  return nearest === undefined ? {} : { fix: `did you mean "${nearest}"?` };
};

const missing = (
  { kind, name, namespace }: { readonly kind: string; readonly name: string; readonly namespace: string | undefined },
  names: readonly string[],
): Impossible => {
  const place = namespace === undefined ? '' : ` in namespace ${namespace}`;
  const problem = `there is no ${kind} "${name}"${place}; ${listed(names)}`;
  return { problem, rule: NOT_FOUND, ...suggestion(name, names) };
};

/** Finds the object of a reference in the form `kind/name` or `namespace/kind/name`. If there is none, returns the reason. */
export const findObject = (
  { kinds, server, namespace: usual }: UserTargets,
  text: string,
): FoundObject | Impossible => {
  const parts = text.split('/');
  const [name = '', word = '', where = usual] = parts.toReversed();
  if (parts.length < 2 || parts.length > 3 || parts.includes('')) {
    return { problem: `"${text}" names no object`, fix: 'write kind/name or namespace/kind/name, such as PodSet/web' };
  }
  const known = kinds.named(word);
  if (known === undefined) {
    const problem = `there is no kind "${word}"; there are ${kinds.names.join(', ')}`;
    return { problem, ...suggestion(word, kinds.names) };
  }
  const { resource, scope, kind } = known;
  const namespace = scope === 'Cluster' ? undefined : where;
  const all = server.objects(resource, namespace);
  const object = all.find(({ metadata }) => metadata.name === name);
  if (object === undefined) {
    const names = all.map(({ metadata }) => metadata.name);
    return missing({ kind, name, namespace }, names);
  }
  const request = { resource, ...(namespace !== undefined && { namespace }), name };
  return { known, object, request, text: textOfObject(object) };
};
