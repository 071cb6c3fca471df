import { isSystemNamespace } from '#lib/desired/extension/parents.ts';
import { elsewhereEnding } from '#lib/desired/marks/elsewhere.ts';
import type { Issue } from '#lib/errors.ts';
import { isDns1123Label } from '#lib/kind/dns.ts';
import type { Elsewhere } from '#lib/kind/handles/elsewhere.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import type { PlanInput } from './input.ts';

const PLACE = { path: 'metadata.namespace', rule: 'elsewhere-namespace' } as const;

const amongNames = (names: readonly string[], namespace: string): Issue[] => {
  if (names.includes(namespace)) return [];
  const message = `must be ${names.map((name) => `"${name}"`).join(' or ')}, as elsewhere() in owns allows`;
  return [{ ...PLACE, message, value: namespace, fix: 'name the namespace in elsewhere(), or write no child there' }];
};

const anywhere = (namespace: string, ownNamespace: string | undefined): Issue[] => {
  if (isDns1123Label(namespace) && !isSystemNamespace(namespace) && namespace !== ownNamespace) return [];
  const message = 'must be a namespace other than kube-* and that of the operator';
  return [{ ...PLACE, message, value: namespace, fix: 'to allow such a namespace, name it in elsewhere()' }];
};

const placeIssues = (input: PlanInput, namespace: string | undefined, namespaces: Elsewhere['namespaces']): Issue[] => {
  if (namespaces === undefined) {
    if (namespace === undefined) return [];
    return [{ ...PLACE, message: 'must be absent: the kind is cluster-scoped', value: namespace }];
  }
  const home = input.resource.metadata.namespace;
  if (namespace === undefined || namespace === home) {
    const fix = 'list the kind in owns a second time, without elsewhere(), for children in the namespace of the parent';
    return [{ ...PLACE, message: 'must name another namespace than that of the parent', value: namespace ?? '', fix }];
  }
  return namespaces === 'any' ? anywhere(namespace, input.ownNamespace) : amongNames(namespaces, namespace);
};

const endingIssues = ({ resource }: PlanInput, name: string): Issue[] => {
  const ending = elsewhereEnding(resource.metadata);
  if (name.endsWith(ending) && name !== ending) return [];
  const message = `must end with "${ending}", the hash of the parent`;
  return [
    { path: 'metadata.name', rule: 'elsewhere-name', message, value: name, fix: 'make the name with elsewhereName()' },
  ];
};

/**
 * Issues of the place and the name of a child elsewhere.
 *
 * @param places - the places that the definition allows
 */
export const elsewhereIssues = (input: PlanInput, { metadata = {} }: KubeObject, places: Elsewhere): Issue[] => [
  ...placeIssues(input, metadata.namespace, places.namespaces),
  ...endingIssues(input, metadata.name ?? ''),
];
