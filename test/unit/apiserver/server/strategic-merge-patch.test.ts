import { describe, expect, it } from 'vitest';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { strategicMergePatch } from '#lib/apiserver/server/patch/strategic-merge-patch.ts';
import { createClusterServer } from '#lib/sim/cluster.ts';
import recorded from './strategic-merge-patch.json' with { type: 'json' };
import { base, cases } from './strategic-merge-patch-cases.ts';

interface Recorded {
  readonly code: number;
  readonly object?: object;
  readonly message?: string;
}

const answers = recorded as Readonly<Record<string, Recorded>>;
const deployments = { group: 'apps', version: 'v1', plural: 'deployments' };
const place = { resource: deployments, namespace: 'default' };

/** Removes fields that differ from server to server. */
const stripped = (object: ServerObject): object => {
  const {
    managedFields: _,
    uid: __,
    resourceVersion: ___,
    creationTimestamp: ____,
    generation: _____,
    ...metadata
  } = object.metadata;
  return { ...object, metadata };
};

const patched = (patch: unknown): Recorded => {
  const server = createClusterServer(() => Date.UTC(2026, 0, 1));
  server.handle({ ...place, verb: 'create', body: base });
  const { code, body } = server.handle({ ...place, verb: 'patch', name: 'web', patchType: 'strategic', body: patch });
  if (code !== 200) return { code, message: String(body['message']) };
  return { code, object: stripped(body as unknown as ServerObject) };
};

describe('createApiServer() given a strategic merge patch', () => {
  for (const [what, patch] of Object.entries(cases)) {
    it(`${what}, as the real server does`, () => {
      expect(JSON.parse(JSON.stringify(patched(patch)))).toEqual(answers[what]);
    });
  }
});

describe('strategicMergePatch()', () => {
  it.each([
    [{ a: 'text' }, { a: { b: 'c' } }, { a: { b: 'c' } }],
    [{ a: { b: 'c' } }, { a: 'text' }, { a: 'text' }],
    [{ a: ['text'] }, { a: { b: null, c: 'd' } }, { a: { c: 'd' } }],
    [{ a: { b: 'c' } }, { a: ['text'] }, { a: ['text'] }],
    [{ a: 'text' }, { a: { $patch: 'replace', b: 'c' } }, {}],
  ])('strategicMergePatch() replaces a value of another type: %j, %j', (document, patch, result) => {
    expect(strategicMergePatch(document, patch, undefined)).toEqual(result);
  });
});
