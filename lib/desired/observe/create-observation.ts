import type { Clock } from '#lib/desired/clock.ts';
import type { Children, Observation, Outcomes, Refusal, Related } from '#lib/desired/observation.ts';
import { noSettings, type OperatorSettings } from '#lib/desired/settings/operator-settings.ts';
import { isElsewhere } from '#lib/kind/handles/elsewhere.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import { declaredKind, isSameKind } from './declared-kind.ts';

/** The parts of an observation. The caller freezes the parts, and sorts the lists by name. */
export interface ObservationParts<R> {
  readonly resource: R;
  readonly owns: readonly KindRef[];
  readonly children: readonly Readonly<KubeObject>[];
  readonly orphans: readonly Readonly<KubeObject>[];
  readonly related: Related;
  readonly refused: readonly Refusal[];
  readonly outcomes: Outcomes;
  readonly clock: Clock;
  /** @default none */
  readonly settings?: OperatorSettings;
}

const none = Object.freeze({ state: 'none' as const });

/** The outcomes for a resource that has requested no effects. */
export const noOutcomes: Outcomes = Object.freeze({ http: () => none, dryRun: () => none });

/** A resource, as far as its observation needs it. */
interface HasNamespace {
  readonly metadata: { readonly namespace: string };
}

interface ObjectsOfKinds {
  /** The namespace of the resource. */
  readonly home: string;
  readonly owns: readonly KindRef[];
  readonly objects: readonly Readonly<KubeObject>[];
  readonly name: 'children' | 'orphans';
}

const byKind = ({ home, owns, objects, name }: ObjectsOfKinds): Children =>
  Object.freeze({
    of: <O extends KubeObject>(wanted: KindRef<O>): readonly Readonly<O>[] => {
      declaredKind(owns, wanted, { asked: `${name}.of(${wanted.kind})`, member: 'owns' });
      const isInBoth = owns.filter((owned) => isSameKind(owned, wanted)).length > 1;
      const fits = (object: KubeObject): boolean =>
        isSameKind(object, wanted) &&
        (!isInBoth || isElsewhere(object, wanted, home) === (wanted.elsewhere !== undefined));
      return Object.freeze(objects.filter(fits) as Readonly<O>[]);
    },
  });

/** Makes the input of the function of a kind. The observation itself is frozen; the caller freezes its parts. */
export const createObservation = <R extends HasNamespace>(parts: ObservationParts<R>): Observation<R> => {
  const { resource, owns, children, orphans, related, refused, outcomes, clock, settings = noSettings } = parts;
  const home = resource.metadata.namespace;
  return Object.freeze({
    resource,
    children: byKind({ home, owns, objects: children, name: 'children' }),
    orphans: byKind({ home, owns, objects: orphans, name: 'orphans' }),
    related,
    refused,
    outcomes,
    clock,
    settings,
  });
};
