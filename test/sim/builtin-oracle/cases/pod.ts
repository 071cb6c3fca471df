import type { JsonObject } from '#lib/json.ts';
import type { Case, Change } from '../case.ts';

/** The container of all pods. */
export const web: JsonObject = { name: 'web', image: 'nginx' };

/** A pod of one container with these members of the spec. */
export const pod = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'p', ...metadata },
  spec: { containers: [web], ...spec },
});

/** A pod whose container has these members. */
export const container = (members: JsonObject): JsonObject => pod({ containers: [{ ...web, ...members }] });

/** A case about pods. */
export const podCase = (name: string, object: JsonObject, changes: readonly Change[] = []): Case => ({
  name: `pod: ${name}`,
  kind: 'Pod',
  object,
  changes,
});

/** A pod whose container has these limits and requests. */
export const resources = (limits: JsonObject, requests?: JsonObject): JsonObject =>
  container({ resources: { limits, ...(requests && { requests }) } });

/** Writes the status. */
export const status = (merge: JsonObject): Change => ({ subresource: 'status', merge: { status: merge } });

/** Changes the spec. */
export const spec = (merge: JsonObject): Change => ({ merge: { spec: merge } });

/** A probe. */
export const probe = { httpGet: { port: 8080 } };
