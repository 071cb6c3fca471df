import type { ServerObject } from './object.ts';

/** Sets the generation of an object. Returns the given object if it already has this generation. */
export const withGeneration = (object: ServerObject, generation: number): ServerObject =>
  object.metadata.generation === generation ? object : { ...object, metadata: { ...object.metadata, generation } };
