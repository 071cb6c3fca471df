import { appServiceChanges, badAppServices, goodAppServices } from './app-service.ts';
import type { BadInput, Change, GoodInput } from './case.ts';
import { badImmortalContainers, goodImmortalContainers, immortalContainerChanges } from './immortal-container.ts';

/** Resources of all kinds that are refused, at synth and by every API server. */
export const BAD_INPUTS: readonly BadInput[] = [...badAppServices, ...badImmortalContainers];

/** Resources of all kinds that are accepted. */
export const GOOD_INPUTS: readonly GoodInput[] = [...goodAppServices, ...goodImmortalContainers];

/** Changes of resources that exist; only an API server knows them. */
export const CHANGES: readonly Change[] = [...appServiceChanges, ...immortalContainerChanges];
