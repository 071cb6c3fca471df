import type { Resource } from '#lib/desired/definition.ts';
import type { Static } from '#lib/kind/schema/schema.ts';
import type { immortalContainerSpec, immortalContainerStatus } from './schema.ts';

/** The spec as the API server stores it: defaults are there. */
export type Spec = Static<typeof immortalContainerSpec>;

/** The status that is reported, without what the library adds. */
export type ImmortalContainerStatus = Static<typeof immortalContainerStatus>;

/** An ImmortalContainer as it is observed. */
export type Observed = Resource<typeof immortalContainerSpec, typeof immortalContainerStatus>;

/** How a pod ended. */
export type Exit = NonNullable<ImmortalContainerStatus['lastExit']>;

/** Where a resource is in its life. */
export type LifePhase = ImmortalContainerStatus['phase'];

/** What is known of the life so far: the part of the status that later passes go by. */
export type LifeMemory = Omit<ImmortalContainerStatus, 'phase'>;
