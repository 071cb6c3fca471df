import type { JsonObject } from '#lib/json.ts';
import type { Case, Change } from '../case.ts';

/** The container of all Jobs. */
export const mainContainer: JsonObject = { name: 'main', image: 'busybox:1' };

/** A template of a Job with these members of the pod's spec. */
export const jobTemplate = (more: JsonObject = {}, metadata?: JsonObject): JsonObject => ({
  ...(metadata && { metadata }),
  spec: { restartPolicy: 'Never', containers: [mainContainer], ...more },
});

/** A case about Jobs. */
export const jobCase = (
  name: string,
  spec: JsonObject = {},
  { changes = [], metadata = {} }: { changes?: readonly Change[]; metadata?: JsonObject } = {},
): Case => ({
  name: `job: ${name}`,
  kind: 'Job',
  object: { metadata: { name: 'j', ...metadata }, spec: { template: jobTemplate(), ...spec } },
  changes,
});

/** The spec of a Job whose pods have indexes. */
export const indexedSpec = { completionMode: 'Indexed', completions: 5, parallelism: 2 };

/** A rule of a pod failure policy. */
export const failJobRule = { action: 'FailJob', onExitCodes: { operator: 'In', values: [1, 2] } };
