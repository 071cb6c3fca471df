import type { ServerObject } from './object.ts';

/** Sets the generation; returns the same object when it is equal. */
export const withGeneration = (object: ServerObject, generation: number): ServerObject =>
  object.metadata.generation === generation ? object : { ...object, metadata: { ...object.metadata, generation } };
