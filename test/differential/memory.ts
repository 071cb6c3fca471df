import type { ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { mergeJson } from './merge.ts';

/** The answers of one server in one sequence, to which later steps refer. */
export interface Memory {
  /** Records versions, uids and page tokens of an answer. */
  readonly observe: (request: ServerRequest, body: unknown) => void;
  /** A value with its references replaced by values of earlier answers. */
  readonly resolve: <T>(value: T) => T;
}

interface Seen {
  readonly versions: string[];
  readonly uids: string[];
  last: JsonObject | undefined;
}

const reference = /<(ns|rv|uid|listRv|continue)(?: ([^ >]+))?(?: (first|last))?>/g;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Creates an empty memory. */
export const createMemory = (namespace: string): Memory => {
  const objects = new Map<string, Seen>();
  const listVersions = new Map<string, string[]>();
  const tokens = new Map<string, string>();

  const remember = (plural: string, object: JsonObject): void => {
    const { metadata } = object;
    if (!isPlainObject(metadata)) return;
    const key = `${plural}/${text(metadata['name'])}`;
    const seen = objects.get(key) ?? { versions: [], uids: [], last: undefined };
    objects.set(key, seen);
    const [version, uid] = [text(metadata['resourceVersion']), text(metadata['uid'])];
    if (version !== '' && !seen.versions.includes(version)) seen.versions.push(version);
    if (uid !== '' && !seen.uids.includes(uid)) seen.uids.push(uid);
    seen.last = object;
  };

  const rememberList = (plural: string, list: JsonObject): void => {
    const metadata = isPlainObject(list['metadata']) ? list['metadata'] : {};
    const versions = listVersions.get(plural) ?? [];
    listVersions.set(plural, [...versions, text(metadata['resourceVersion'])]);
    tokens.set(plural, text(metadata['continue']));
    for (const item of list['items'] as readonly JsonObject[]) remember(plural, item);
  };

  const lookUp = (what: string, key: string, which: string): string => {
    const full = key.replaceAll('<ns>', namespace);
    const at = which === 'first' ? 0 : -1;
    switch (what) {
      case 'ns':
        return namespace;
      case 'rv':
        return objects.get(full)?.versions.at(at) ?? '';
      case 'uid':
        return objects.get(full)?.uids.at(at) ?? '99999999-0000-0000-0000-000000000000';
      case 'listRv':
        return listVersions.get(full)?.at(at) ?? '';
      default:
        return tokens.get(full) ?? '';
    }
  };

  const resolveText = (value: string): string =>
    value
      .replaceAll('<ns>', namespace)
      .replaceAll(reference, (_, what: string, key = '', which = 'last') => lookUp(what, key, which));

  const resolveObject = (value: JsonObject): JsonObject => {
    const { $base, ...members } = value;
    const resolved = Object.fromEntries(
      Object.entries(members).map(([name, member]) => [resolveText(name), resolve(member)]),
    );
    if (typeof $base !== 'string') return resolved;
    return mergeJson(objects.get(resolveText($base))?.last ?? {}, resolved);
  };

  function resolve<T>(value: T): T {
    if (typeof value === 'string') return resolveText(value) as T;
    if (Array.isArray(value)) return value.map(resolve) as T;
    return isPlainObject(value) ? (resolveObject(value) as T) : value;
  }

  return {
    resolve,
    observe: ({ resource, subresource, verb, options }, body) => {
      // Versions and uids of dry runs have no meaning.
      if (options?.dryRun === true && (verb === 'create' || verb === 'patch')) return;
      if (!isPlainObject(body) || body['kind'] === 'Status' || subresource === 'scale') return;
      if (Array.isArray(body['items'])) rememberList(resource.plural, body);
      else remember(resource.plural, body);
    },
  };
};
