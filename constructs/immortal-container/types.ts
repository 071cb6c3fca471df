import type { Resource } from '#lib/desired/definition.ts';
import type { Static } from '#lib/kind/schema/schema.ts';
import type { immortalContainerSpec, immortalContainerStatus } from './schema.ts';

/** The spec as the API server stores it, with defaults. */
export type Spec = Static<typeof immortalContainerSpec>;

/** The status of an ImmortalContainer, without the conditions and the observed generation. */
export type ImmortalContainerStatus = Static<typeof immortalContainerStatus>;

/** An ImmortalContainer as it is observed. */
export type Observed = Resource<typeof immortalContainerSpec, typeof immortalContainerStatus>;

/** The end of a pod, as the status stores it. */
export type Exit = NonNullable<ImmortalContainerStatus['lastExit']>;

/** The phase of an ImmortalContainer. */
export type LifePhase = ImmortalContainerStatus['phase'];

/** The memory: the status without the phase. Decisions of later passes depend on the memory. */
export type LifeMemory = Omit<ImmortalContainerStatus, 'phase'>;
