import type { Construct } from 'constructs';
import type { OperatorNames } from '#constructs/operator/names.ts';
import {
  isPodRunner,
  isUnknown,
  type Reach,
  reachOf,
  runsPods,
  unknownChildren,
} from '#constructs/operator/rights/reach.ts';
import { shortHash } from '#lib/desired/canonical/canonical.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import { KEPT_ANNOTATION } from '#lib/kind/versions/annotations.ts';
import { type AdmissionPolicy, addAdmissionPolicy, annotationIn } from './admission-policy.ts';

/**
 * The action for writes of users without rights on pods. `true` refuses the write, `'warn'` warns, and `false` adds no policy.
 */
export type PodGuardMode = true | 'warn' | false;

/** Kinds that the guard checks, and the namespaces in which their resources have pods. */
export interface GuardedKinds {
  readonly kinds: readonly AnyKindDefinition[];
  /** Named namespaces; `home` for the namespace of the resource, and `any` for all namespaces. */
  readonly places: readonly string[];
}

/** The kinds that the guard checks, by the places of their pods. */
export interface Guarded {
  /** Kinds whose resources run pods. */
  readonly running: readonly GuardedKinds[];
  /**
   * Kinds that are not in `running` and own third-party kinds (neither built in nor in the bundle). Their resources may run
   * pods.
   */
  readonly unknown: readonly GuardedKinds[];
}

const HOME = 'home';

/**
 * The maximum number of places in one policy. The API server limits the cost of a policy to 10,000,000, and the checks of a place
 * cost 700,000.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.0/staging/src/k8s.io/apiserver/pkg/apis/cel/config.go
 */
const MAX_PLACES = 12;

const placesOf = (children: readonly KindRef[]): readonly string[] => {
  const all = children.flatMap(({ elsewhere }) => (elsewhere ? (elsewhere.namespaces ?? 'any') : HOME));
  return [...new Set(all)].toSorted();
};

const byPlaces = (reaches: readonly Reach[], isThere: (child: KindRef) => boolean): readonly GuardedKinds[] => {
  const all = reaches.map(({ definition, children }) => ({ definition, places: placesOf(children.filter(isThere)) }));
  const parts = all.flatMap(({ definition, places }) =>
    Array.from({ length: Math.ceil(places.length / MAX_PLACES) }, (_, part) => ({
      definition,
      places: places.slice(part * MAX_PLACES, (part + 1) * MAX_PLACES),
    })),
  );
  const groups = Map.groupBy(parts, ({ places }) => places.join(' '));
  return [...groups.values()].map((group) => ({
    kinds: group.map(({ definition }) => definition),
    places: group[0]?.places ?? [],
  }));
};

/**
 * Finds the kinds whose resources run pods, or may run pods. Extensions of kinds of the cluster are not included. The children of an
 * extension of a kind of the bundle count as children of this kind.
 */
export const guardedKinds = (kinds: readonly AnyKindDefinition[]): Guarded => {
  const reaches = reachOf(kinds).filter(({ definition }) => definition.extension === undefined);
  const others = reaches.filter((reach) => !runsPods(reach) && unknownChildren(reach).length > 0);
  return { running: byPlaces(reaches.filter(runsPods), isPodRunner), unknown: byPlaces(others, isUnknown) };
};

/**
 * A CEL expression for a create, and for a change of the spec or of the data of the conversion webhook. Other metadata is not
 * checked, because controllers of the cluster may write it.
 */
const SPEC_CHANGES = [
  'request.operation == "CREATE"',
  'object.spec != oldObject.spec',
  `${annotationIn('object', KEPT_ANNOTATION)} != ${annotationIn('oldObject', KEPT_ANNOTATION)}`,
].join(' || ');

/** A CEL expression for the namespace of a place. An empty namespace means all namespaces. */
const namespaceOf = (place: string): string => {
  if (place === HOME) return "object.metadata.?namespace.orValue('')";
  return place === 'any' ? "''" : `'${place}'`;
};

/** A CEL expression with two authorization checks, which is the maximum number: a third one would exceed the cost limit. */
const mayUsePods = (place: string): string =>
  ['create', 'delete']
    .map((verb) => `authorizer.group('').resource('pods').namespace(${namespaceOf(place)}).check('${verb}').allowed()`)
    .join(' && ');

const placeInWords = (place: string): string => {
  if (place === HOME) return 'in its namespace';
  return place === 'any' ? 'in all namespaces' : `in ${place}`;
};

/** The end of the name of a policy; empty for kinds whose resources have pods only in their own namespace. */
const suffixFor = (places: readonly string[]): string =>
  places.length === 1 && places[0] === HOME ? '' : `-${shortHash(places, 5)}`;

const guardOf = (
  { kinds, places }: GuardedKinds,
  { what, suffix, action }: Pick<AdmissionPolicy, 'suffix' | 'action'> & { readonly what: 'runs' | 'may run' },
) => ({
  suffix: `${suffix}${suffixFor(places)}`,
  kinds,
  ...(action && { action }),
  versions: 'any' as const,
  operations: ['CREATE', 'UPDATE'] as const,
  when: { name: 'spec-changes', expression: SPEC_CHANGES },
  validations: places.map((place) => ({
    expression: mayUsePods(place),
    messageExpression: `'a ' + request.kind.kind + ' ${what} pods: ' + request.userInfo.username + ' needs the rights to create and delete pods ${placeInWords(place)}'`,
    reason: 'Forbidden' as const,
  })),
});

/**
 * Adds policies that refuse writes of resources that run pods, unless the user has the rights to create and delete pods in the
 * namespace of the resource and in the other namespaces in which the resource has pods. With `'warn'`, and for kinds that only
 * may run pods, the policies only warn. There is one policy for each set of at most twelve namespaces. With `false`, adds nothing.
 *
 * Guarantees: the policies check creates, and updates of the spec in any version. For a cluster-scoped resource, the user needs
 * the rights in all namespaces.
 *
 * Caveats: the policies check neither writes to the subresource `scale` nor rollout commands by annotation (promote, abort,
 * skip, retry).
 */
export const addPodGuard = (
  scope: Construct,
  names: OperatorNames,
  { kinds, podGuard }: { readonly kinds: readonly AnyKindDefinition[]; readonly podGuard?: PodGuardMode | undefined },
): void => {
  if (podGuard === false) return;
  const { running, unknown } = guardedKinds(kinds);
  const action = podGuard === 'warn' ? 'Warn' : 'Deny';
  for (const each of running)
    addAdmissionPolicy(scope, names, guardOf(each, { what: 'runs', suffix: 'pod-guard', action }));
  for (const each of unknown)
    addAdmissionPolicy(scope, names, guardOf(each, { what: 'may run', suffix: 'pod-warning', action: 'Warn' }));
};
