import { beforeEach, describe, expect, it } from 'vitest';
import { builtinKinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { createApiServer } from '#lib/apiserver/server/server.ts';
import { namespaceContents } from '#lib/embedded/upkeep/namespace-contents.ts';
import type { JsonObject } from '#lib/json.ts';

const resource = { group: '', version: 'v1', plural: 'configmaps' };
const place = { resource, namespace: 'default', name: 'kube-root-ca.crt' };

let server: ApiServer;

/** Lets the actor act until it rests. @returns the number of its steps */
const settle = (ca: string): number => {
  const actor = namespaceContents(server, ca);
  for (let count = 0; ; count++) {
    const [step] = actor.steps();
    if (step === undefined) return count;
    if (count > 9) throw new Error(`no rest: ${step.label}`);
    step.run();
  }
};

const found = (): ServerObject | undefined => server.objects(resource, 'default')[0];
const edit = (body: JsonObject): number => server.handle({ verb: 'patch', patchType: 'merge', ...place, body }).code;

beforeEach(() => {
  server = createApiServer({ kinds: builtinKinds, now: () => 0 });
  settle('one');
});

describe('namespaceContents()', () => {
  it('gives a namespace its account and the authority, then rests', () => {
    expect(found()).toMatchObject({
      metadata: {
        name: 'kube-root-ca.crt',
        annotations: { 'kubernetes.io/description': expect.stringMatching(/^Contains a CA bundle/) as string },
      },
      data: { 'ca.crt': 'one' },
    });
    expect(settle('one')).toBe(0);
  });

  it('restores what was deleted, edited, or is of another authority', () => {
    server.handle({ verb: 'delete', ...place });
    expect(settle('one')).toBe(1);
    const uid = found()?.metadata.uid;
    edit({ data: { 'ca.crt': 'mine', more: 'x' }, metadata: { labels: { a: 'b' } } });
    expect(settle('one')).toBe(1);
    expect(found()).toMatchObject({ metadata: { uid, labels: { a: 'b' } } });
    expect(found()?.['data']).toEqual({ 'ca.crt': 'one' });
    expect(settle('two')).toBe(1);
    expect(found()?.['data']).toEqual({ 'ca.crt': 'two' });
  });

  it('tries a refused write once, until the object changes', () => {
    edit({ immutable: true });
    const actor = namespaceContents(server, 'two');
    actor.steps()[0]?.run();
    expect(actor.steps()).toEqual([]);
    expect(found()?.['data']).toEqual({ 'ca.crt': 'one' });
    server.handle({ verb: 'delete', ...place });
    actor.steps()[0]?.run();
    expect(found()?.['data']).toEqual({ 'ca.crt': 'two' });
  });
});
