import { describe, expect, it } from 'vitest';
import type { RequestInfo } from '#lib/kube/transport/request.ts';
import { connect, list, object, podSets, pods, serve, setUp, target } from './client-fixture.ts';
import { failure } from './failure.ts';
import { fixedCredentials } from './fixed-credentials.ts';
import { sendJson, sendStatus } from './http-server.ts';

describe('createKubeClient: requests', () => {
  it('list() asks for a page and completes its items when the server leaves out their kind', async () => {
    const [a, b] = ['a', 'b'].map((name) => ({ name, uid: `uid-${name}`, resourceVersion: '5' }));
    const answer = list({ metadata: a }, { apiVersion: 'own/v1', kind: 'Own', metadata: b });
    const { server, client } = await setUp((_, response) =>
      sendJson(response, { ...answer, metadata: { resourceVersion: '9', continue: 'more' } }),
    );
    expect(await client.list(pods, { namespace: 'default', limit: 2, continueToken: 'a+b/=' })).toEqual({
      items: [
        { apiVersion: 'v1', kind: 'Pod', metadata: a },
        { apiVersion: 'own/v1', kind: 'Own', metadata: b },
      ],
      resourceVersion: '9',
      continueToken: 'more',
    });
    const [request] = server.received;
    expect(request?.url.pathname).toBe('/api/v1/namespaces/default/pods');
    expect(Object.fromEntries(request!.url.searchParams)).toEqual({ limit: '2', continue: 'a+b/=' });
    expect(request?.headers).toMatchObject({
      accept: 'application/json',
      authorization: 'Bearer secret-token',
      'user-agent': expect.stringMatching(/^cdk8s-reconcile\/\d/),
    });
  });

  it('list() asks for metadata alone in the media type of the API', async () => {
    const { server, client } = await setUp((_, response) =>
      sendJson(response, { kind: 'PartialObjectMetadataList', metadata: { resourceVersion: '9' }, items: [] }),
    );
    expect(await client.list(podSets, { metadataOnly: true })).toEqual({ items: [], resourceVersion: '9' });
    expect(server.received[0]?.headers.accept).toBe('application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1');
  });

  it('list() gives an empty page without a token when there is nothing', async () => {
    const { client } = await setUp((_, response) =>
      sendJson(response, { metadata: { resourceVersion: '9', continue: '' }, items: null }),
    );
    expect(await client.list(podSets)).toEqual({ items: [], resourceVersion: '9' });
  });

  it('create(), get(), patchStatus() and delete() say what they mean when they are sent', async () => {
    const { server, client } = await setUp((_, response) => sendJson(response, object()));
    expect(await client.create(podSets, object(), { namespace: 'default', fieldManager: 'me' })).toEqual(object());
    expect(await client.get(pods, target)).toEqual(object());
    await client.patchStatus(podSets, target, { metadata: { uid: 'u' }, status: { x: 'é' } }, { fieldManager: 'me' });
    await client.delete(pods, target, { uid: 'u', resourceVersion: '5', gracePeriodSeconds: 0 });
    const path = '/apis/app.example.com/v1alpha1/namespaces/default/podsets';
    expect(
      server.received.map(({ method, url, headers, body }) => ({
        request: `${method} ${url.pathname}${url.search}`,
        type: headers['content-type'],
        body: body === '' ? undefined : JSON.parse(body),
      })),
    ).toEqual([
      { request: `POST ${path}?fieldManager=me&fieldValidation=Strict`, type: 'application/json', body: object() },
      { request: 'GET /api/v1/namespaces/default/pods/web', type: undefined, body: undefined },
      {
        request: `PATCH ${path}/web/status?fieldManager=me`,
        type: 'application/merge-patch+json',
        body: { metadata: { uid: 'u' }, status: { x: 'é' } },
      },
      {
        request: 'DELETE /api/v1/namespaces/default/pods/web',
        type: 'application/json',
        body: {
          apiVersion: 'meta.k8s.io/v1',
          kind: 'DeleteOptions',
          propagationPolicy: 'Background',
          preconditions: { uid: 'u', resourceVersion: '5' },
          gracePeriodSeconds: 0,
        },
      },
    ]);
  });

  it.each([
    { reason: 'a Status', answer: { kind: 'Status', metadata: {}, status: 'Success' }, lingers: false },
    { reason: 'the object as it was', answer: object(), lingers: false },
    {
      reason: 'a pod without grace',
      answer: object({ deletionTimestamp: 'now', deletionGracePeriodSeconds: 0 }),
      lingers: false,
    },
    {
      reason: 'a pod that terminates',
      answer: object({ deletionTimestamp: 'now', deletionGracePeriodSeconds: 30 }),
      lingers: true,
    },
    {
      reason: 'an object with finalizers',
      answer: object({ deletionTimestamp: 'now', deletionGracePeriodSeconds: 0, finalizers: ['x/y'] }),
      lingers: true,
    },
  ])(
    'delete() resolves with the object if it lingers ($lingers) when the answer is $reason',
    async ({ answer, lingers }) => {
      const { client } = await setUp((_, response) => sendJson(response, answer));
      expect(await client.delete(pods, target, { uid: 'u' })).toEqual(lingers ? answer : undefined);
    },
  );

  it('list() keeps the path of the server when it is behind one', async () => {
    const server = await serve((_, response) => sendJson(response, list()));
    await connect(fixedCredentials(`${server.url}/k8s/clusters/c-1/`)).list(pods);
    expect(server.received[0]?.url.pathname).toBe('/k8s/clusters/c-1/api/v1/pods');
  });

  it('list() gives the observer verb, resource and code when requests end', async () => {
    const seen: RequestInfo[] = [];
    const { server, client } = await setUp(
      ({ method }, response) => (method === 'GET' ? sendJson(response, list()) : sendStatus(response, { code: 409 })),
      { observe: (info) => seen.push(info) },
    );
    await client.list(pods);
    await failure(client.create(pods, object(), { namespace: 'default', fieldManager: 'me' }));
    await server.close();
    await failure(client.list(pods));
    expect(seen.map(({ verb, resource, code }) => [verb, resource, code])).toEqual([
      ['list', 'pods', 200],
      ['create', 'pods', 409],
      ['list', 'pods', undefined],
    ]);
    expect(seen.every(({ durationMs }) => durationMs >= 0)).toBe(true);
  });
});
