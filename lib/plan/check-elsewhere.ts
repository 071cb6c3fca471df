import { allowedPlaceIssues, PLACE_ISSUE } from '#lib/desired/marks/allowed-place.ts';
import { elsewhereEnding } from '#lib/desired/marks/elsewhere.ts';
import type { Issue } from '#lib/errors.ts';
import type { Elsewhere } from '#lib/kind/handles/elsewhere.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import type { PlanInput } from './input.ts';

const placeIssues = (input: PlanInput, namespace: string | undefined, namespaces: Elsewhere['namespaces']): Issue[] => {
  if (namespaces === undefined) {
    if (namespace === undefined) return [];
    return [{ ...PLACE_ISSUE, message: 'must be absent: the kind is cluster-scoped', value: namespace }];
  }
  const home = input.resource.metadata.namespace;
  if (namespace === undefined || namespace === home) {
    const fix = 'list the kind in owns a second time, without elsewhere(), for children in the namespace of the parent';
    return [
      { ...PLACE_ISSUE, message: 'must name another namespace than that of the parent', value: namespace ?? '', fix },
    ];
  }
  return allowedPlaceIssues(namespace, { namespaces, ownNamespace: input.ownNamespace, member: 'owns' });
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
