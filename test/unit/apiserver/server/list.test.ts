import { assert, integer, property, stringMatching, uniqueArray } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequestOptions, ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { boxKind } from '../support/permissive-kinds.ts';
import { namesIn, objectIn, ServerBench, said } from '../support/server-bench.ts';

const tokenIn = ({ body }: ServerResponse): string => (body['metadata'] as { continue?: string }).continue ?? '';

const filled = (names: readonly string[] = ['a', 'b', 'c', 'd', 'e']): ServerBench => {
  const bench = new ServerBench();
  for (const name of names) bench.create(name);
  return bench;
};

const TOO_OLD = 'The provided continue parameter is too old to display a consistent list result.';

// Answers of kube-apiserver 1.36.4.
describe('list', () => {
  it('createApiServer() lists in the order of keys, with the latest version', () => {
    const bench = filled(['b', 'a.1', 'a-b', 'a']);
    const answer = bench.list();
    expect(namesIn(answer)).toEqual(['a', 'a-b', 'a.1', 'b']);
    expect(answer.body).toMatchObject({
      kind: 'ShelfList',
      apiVersion: 'lib.example.com/v1',
      metadata: { continue: '', resourceVersion: bench.server.resourceVersion },
    });
  });

  it('createApiServer() sorts namespaces with the slash that follows them', () => {
    const bench = new ServerBench(undefined, { namespaces: ['a', 'a-b'] });
    bench.create('x', {}, { namespace: 'a' });
    bench.create('y', {}, { namespace: 'a-b' });
    const answer = bench.server.handle({ verb: 'list', resource: bench.resource });
    expect(namesIn(answer)).toEqual(['y', 'x']);
  });

  it('createApiServer() leaves out of built-in lists what their items are', () => {
    const bench = new ServerBench(boxKind);
    bench.create('a');
    const { body } = bench.list();
    expect([Object.keys((body['items'] as object[])[0] ?? {}), Object.keys(body['metadata'] as object)]).toEqual([
      ['metadata', 'spec'],
      ['resourceVersion'],
    ]);
  });

  it('createApiServer() gives pages of one version, although things change between them', () => {
    const bench = filled();
    const first = bench.list({ limit: 2 });
    bench.delete('c');
    bench.create('bb');
    const second = bench.list({ limit: 2, continue: tokenIn(first) });
    const third = bench.list({ limit: 2, continue: tokenIn(second) });
    expect([first, second, third].map(namesIn)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(
      [first, second, third].map(
        ({ body }) => (body['metadata'] as RequestOptions & { remainingItemCount?: number }).remainingItemCount,
      ),
    ).toEqual([3, 1, undefined]);
    expect(
      new Set([first, second, third].map(({ body }) => (body['metadata'] as RequestOptions).resourceVersion)).size,
    ).toBe(1);
  });

  it('createApiServer() answers 410 with a token for the rest when a page is too old', () => {
    const bench = filled();
    const token = tokenIn(bench.list({ limit: 2 }));
    bench.delete('c');
    bench.server.compact(bench.server.resourceVersion);
    const { code, body } = bench.list({ limit: 2, continue: token });
    expect([code, body['reason'], String(body['message']).startsWith(TOO_OLD)]).toEqual([410, 'Expired', true]);
    const again = (body['metadata'] as { continue: string }).continue;
    expect(namesIn(bench.list({ limit: 5, continue: again }))).toEqual(['d', 'e']);
  });

  it('createApiServer() counts no remaining items when there are selectors', () => {
    const { body } = filled().list({ limit: 1, fieldSelector: 'metadata.name!=b' });
    expect(body['metadata']).not.toHaveProperty('remainingItemCount');
  });

  it('createApiServer() gives the one object that a name selects without a token', () => {
    expect(tokenIn(filled().list({ limit: 1, fieldSelector: 'metadata.name=a' }))).toBe('');
  });

  it('createApiServer() shows an old state when it is asked for exactly that', () => {
    const bench = filled(['a']);
    const then = bench.server.resourceVersion;
    bench.create('b');
    expect(namesIn(bench.list({ resourceVersion: then, resourceVersionMatch: 'Exact' }))).toEqual(['a']);
    expect(namesIn(bench.list({ resourceVersion: then, limit: 5 }))).toEqual(['a']);
    expect(namesIn(bench.list({ resourceVersion: then }))).toEqual(['a', 'b']);
    expect(namesIn(bench.list({ resourceVersion: then, resourceVersionMatch: 'NotOlderThan' }))).toEqual(['a', 'b']);
    bench.server.compact(bench.server.resourceVersion);
    expect(said(bench.list({ resourceVersion: then, resourceVersionMatch: 'Exact' }))).toBe(
      '410 The resourceVersion for the provided list is too old.',
    );
  });

  it.each<[RequestOptions, string]>([
    [
      { resourceVersion: 'abc' },
      '400 invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    ],
    [{ resourceVersion: '999' }, '504 Timeout: Too large resource version: 999, current: 105'],
    [
      { resourceVersionMatch: 'Exact', resourceVersion: '999' },
      '504 Timeout: Too large resource version: 999, current: 105',
    ],
    [
      { resourceVersionMatch: 'Exact' },
      '422 ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    ],
    [
      { resourceVersionMatch: 'Exact', resourceVersion: '0' },
      '422 ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    [
      { resourceVersionMatch: 'Foo', resourceVersion: '1' },
      '422 ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""',
    ],
    [
      { continue: Buffer.from('{"v":"v1","rv":5,"start":"x"}').toString('base64url') },
      '400 invalid continue token: continue key is not valid: server does not recognize this encoded version v1',
    ],
    [
      { continue: Buffer.from('{"v":{"toString":0},"rv":5,"start":"x"}').toString('base64url') },
      '400 invalid continue token: continue key is not valid: json: cannot unmarshal object into Go struct field continueToken.v of type string',
    ],
    [
      { continue: Buffer.from('[]').toString('base64url') },
      '400 invalid continue token: continue key is not valid: json: cannot unmarshal array into Go value of type storage.continueToken',
    ],
    [
      { continue: Buffer.from('{"v":"v1","rv":"x"}').toString('base64url') },
      '400 invalid continue token: continue key is not valid: json: cannot unmarshal string into Go struct field continueToken.rv of type int64',
    ],
    [
      { continue: Buffer.from('{"v":"meta.k8s.io/v1","rv":0,"start":"x"}').toString('base64url') },
      '400 invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    ],
    [
      { continue: Buffer.from('{"v":"meta.k8s.io/v1","rv":5,"start":"../x"}').toString('base64url') },
      '400 invalid continue token: continue key is not valid: ../x',
    ],
    [
      {
        continue: Buffer.from('{"v":"meta.k8s.io/v1","rv":104,"start":"b"}').toString('base64url'),
        resourceVersion: '5',
      },
      '400 specifying resource version is not allowed when using continue',
    ],
  ])('createApiServer() refuses %j', (options, expected) => {
    expect(said(filled().list(options))).toBe(expected);
  });

  it('createApiServer() takes no limit for lists from version 0', () => {
    expect(namesIn(filled().list({ limit: 2, resourceVersion: '0' }))).toHaveLength(5);
  });

  it('get() waits for no future version', () => {
    const bench = filled(['a']);
    expect(said(bench.get('a', { resourceVersion: '999' }))).toBe(
      '504 Timeout: Too large resource version: 999, current: 101',
    );
    expect(said(bench.get('a', { resourceVersion: 'abc' }))).toMatch(/^500 resourceVersion: Invalid value: "abc"/);
    expect(objectIn(bench.get('a', { resourceVersion: '0' })).metadata.name).toBe('a');
  });

  it('createApiServer() gives every object once in pages of any size', () => {
    const names = uniqueArray(stringMatching(/^[a-c]{1,3}$/), { maxLength: 12 });
    assert(
      property(names, integer({ min: 1, max: 5 }), (all, limit) => {
        const bench = filled(all);
        const listed: string[] = [];
        for (let token = ''; ; ) {
          const page = bench.list({ limit, ...(token !== '' && { continue: token }) });
          listed.push(...namesIn(page));
          token = tokenIn(page);
          if (token === '') break;
        }
        expect(listed).toEqual(all.toSorted());
      }),
    );
  });
});
