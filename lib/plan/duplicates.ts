import type { Issue } from '#lib/errors.ts';
import { childPath, isPlainObject, memberOf } from '#lib/json.ts';
import { hasDomain, type KindRef, type KubeObject } from '#lib/kind/handles/reference.ts';

/** The key fields of list elements, each with its default; undefined for a field without a default. */
type Keys = Readonly<Record<string, unknown>>;

const named: Keys = { name: undefined };

/** The lists in the spec of a pod that have key fields (`x-kubernetes-list-map-keys` of Kubernetes 1.36). */
const podLists: Readonly<Record<string, Keys>> = {
  claims: named,
  containers: named,
  env: named,
  ephemeralContainers: named,
  hostAliases: { ip: undefined },
  imagePullSecrets: named,
  initContainers: named,
  ports: { containerPort: undefined, protocol: 'TCP' },
  resourceClaims: named,
  schedulingGates: named,
  topologySpreadConstraints: { topologyKey: undefined, whenUnsatisfiable: undefined },
  volumeDevices: { devicePath: undefined },
  volumeMounts: { mountPath: undefined },
  volumes: named,
};

const serviceLists: Readonly<Record<string, Keys>> = { ports: { port: undefined, protocol: 'TCP' } };

interface Area {
  readonly path: string;
  readonly value: unknown;
  readonly lists: Readonly<Record<string, Keys>>;
}

const areaOf = (object: KubeObject): Area => ({
  path: 'spec',
  value: (object as KubeObject & { readonly spec?: unknown }).spec,
  lists: object.kind === 'Service' ? serviceLists : podLists,
});

const identityOf = (element: unknown, keys: Keys): string | undefined => {
  if (!isPlainObject(element)) return undefined;
  const parts = Object.entries(keys).map(([name, missing]) => element[name] ?? missing);
  return parts.includes(undefined) ? undefined : parts.map(String).join('/');
};

const issuesOfList = (list: readonly unknown[], keys: Keys, path: string): Issue[] => {
  const firsts = new Map<string, number>();
  return list.flatMap((element, index) => {
    const identity = identityOf(element, keys);
    if (identity === undefined) return [];
    const first = firsts.get(identity);
    if (first === undefined) {
      firsts.set(identity, index);
      return [];
    }
    const message = `must differ from element ${first} in ${Object.keys(keys).join(' and ')}: an apply refuses elements with the same keys`;
    return [
      { path: `${path}[${index}]`, rule: 'list-map-keys', message, value: identity, fix: 'remove one of the two' },
    ];
  });
};

const issuesBelow = ({ path, value, lists }: Area): Issue[] => {
  if (Array.isArray(value))
    return value.flatMap((element: unknown, index) =>
      issuesBelow({ path: `${path}[${index}]`, value: element, lists }),
    );
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const keys = memberOf(lists, name);
    const at = childPath(path, name);
    const own = keys && Array.isArray(member) ? issuesOfList(member, keys, at) : [];
    return [...own, ...issuesBelow({ path: at, value: member, lists })];
  });
};

/**
 * Finds list elements with the same keys in the spec of a built-in kind: in pod templates, and in the ports of a Service. The API
 * server responds to an apply of such elements with status 500. `createOnce` kinds are not checked, because a POST is accepted,
 * or refused with a correct reason.
 *
 * Pod templates and Services are only in groups without a domain, such as `apps`. Lists in other groups are not checked: custom
 * resources, and the parameters of ResourceClaims, may have lists with the same names and other keys.
 */
export const duplicateElements = (kind: KindRef, object: KubeObject): Issue[] =>
  kind.createOnce || hasDomain(object.apiVersion ?? '') ? [] : issuesBelow(areaOf(object));
