import type { ServerObject } from './object.ts';

/** The object with this generation; the same one when it has it. */
export const withGeneration = (object: ServerObject, generation: number): ServerObject =>
  object.metadata.generation === generation ? object : { ...object, metadata: { ...object.metadata, generation } };
