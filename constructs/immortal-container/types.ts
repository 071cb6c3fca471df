import type { Resource } from '#lib/desired/definition.ts';
import type { Static } from '#lib/kind/schema/schema.ts';
import type { immortalContainerSpec, immortalContainerStatus } from './schema.ts';

/** The spec as the API server stores it, with defaults. */
export type Spec = Static<typeof immortalContainerSpec>;

/** The status of the kind, without the fields that the library adds. */
export type ImmortalContainerStatus = Static<typeof immortalContainerStatus>;

/** An ImmortalContainer as it is observed. */
export type Observed = Resource<typeof immortalContainerSpec, typeof immortalContainerStatus>;

/** How a pod ended. */
export type Exit = NonNullable<ImmortalContainerStatus['lastExit']>;

/** The phase of a resource. */
export type LifePhase = ImmortalContainerStatus['phase'];

/** The memory: the part of the status that later passes read. */
export type LifeMemory = Omit<ImmortalContainerStatus, 'phase'>;
