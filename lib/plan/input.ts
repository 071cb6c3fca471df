import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import type { Desired } from '#lib/desired/desired.ts';
import { groupOf, type KindRef, type KubeObject } from '#lib/kind/reference.ts';
import type { Child } from './step.ts';

/** What a plan is made from; nothing else is looked at. */
export interface PlanInput {
  readonly definition: Pick<AnyKindDefinition, 'group' | 'version' | 'kind' | 'owns'>;
  readonly resource: AnyResource;
  /** Observed children that this resource controls. */
  readonly children: readonly Child[];
  /** Observed objects that nobody controls and that may be adopted. */
  readonly orphans: readonly Child[];
  readonly desired: Pick<Desired<unknown>, 'children' | 'partial'>;
}

/** The identity of a child within its namespace, such as `Pod.v1./web-x7k2p`. */
export const childId = (kind: Pick<KindRef, 'apiVersion' | 'kind'>, name: string): string =>
  `${kind.kind}.${groupOf(kind.apiVersion)}/${name}`;

/** The handle in `owns` that an object belongs to; `undefined` when the kind is not owned. */
export const ownedKind = (owns: readonly KindRef[], object: KubeObject): KindRef | undefined =>
  owns.find((kind) => kind.kind === object.kind && kind.apiVersion === object.apiVersion);

/** The name of an object, or the empty string for one without. */
export const nameOf = (object: KubeObject): string => object.metadata?.name ?? '';
