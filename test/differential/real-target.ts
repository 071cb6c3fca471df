import { setTimeout as wait } from 'node:timers/promises';
import type { ResourceName, ServerRequest, WatchRequest } from '#lib/apiserver/machinery/request.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { type ApiResponse, refused } from '#test/control-plane/request.ts';
import { definitions } from './definitions.ts';
import { createMarkers, type Markers } from './real-markers.ts';
import { createStreams, type OpenStream } from './real-stream.ts';
import { toHttp, toWatchPath } from './real-url.ts';
import type { Side } from './suite.ts';
import type { Answer, RunningWatch } from './target.ts';

/** Time in which an admission plugin sees a new quota. */
const QUOTA_MS = 200;

/**
 * Events have no cache in the API server: each watch is one of etcd, which synchronizes late watches ten times a
 * second.
 */
const EVENTS_MS = 300;

/** The real API server, ready for sequences. */
export interface RealServer extends Side {
  /** Ends the watches of the markers. */
  readonly close: () => void;
}

type Context = { readonly plane: ControlPlane; readonly openStream: OpenStream; readonly markers: Markers };

const create = async ({ request }: ControlPlane, path: string, body: JsonObject): Promise<void> => {
  const response = await request('POST', path, body);
  if (response.status !== 201) throw refused(`create ${path}`, response);
};

const isEstablished = (body: unknown): boolean => {
  const status = isPlainObject(body) && isPlainObject(body['status']) ? body['status'] : {};
  const conditions = (status['conditions'] ?? []) as readonly { readonly type: string; readonly status: string }[];
  return conditions.some(({ type, status }) => type === 'Established' && status === 'True');
};

const install = async (plane: ControlPlane, definition: JsonObject): Promise<void> => {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await create(plane, path, definition);
  const { metadata, spec } = definition as {
    readonly metadata: { readonly name: string };
    readonly spec: {
      readonly group: string;
      readonly names: { readonly plural: string };
      readonly versions: readonly { readonly name: string }[];
    };
  };
  const isServed = async (): Promise<boolean> => {
    if (!isEstablished((await plane.request('GET', `${path}/${metadata.name}`)).body)) return false;
    const answers = await Promise.all(
      spec.versions.map(({ name }) => plane.request('GET', `/apis/${spec.group}/${name}/${spec.names.plural}`)),
    );
    return answers.every(({ status }) => status === 200);
  };
  while (!(await isServed())) await wait(50);
};

/** A read of "any version" is answered from a cache that may lag. A consistent read beforehand brings this cache up to date. */
const catchUp = async (
  { plane }: Context,
  { resource, namespace }: { readonly resource: ResourceName; readonly namespace?: string },
): Promise<void> => {
  const { path } = toHttp({
    verb: 'list',
    resource,
    ...(namespace !== undefined && { namespace }),
    options: { labelSelector: 'none=such' },
  });
  await plane.request('GET', path);
};

/**
 * The answer of a server that panics: it closes the connection. kube-apiserver 1.36.4 panics in some server-side applies that
 * change the type of a Service.
 *
 * @throws the error of a connection that ended for another reason
 */
const closedConnection = (error: unknown): ApiResponse => {
  const { cause } = error as { readonly cause?: { readonly code?: string } };
  if (cause?.code !== 'ECONNRESET') throw error;
  return { status: 0, body: 'the server closed the connection' };
};

const sendRequest = async (context: Context, request: ServerRequest): Promise<Answer> => {
  if (request.options?.resourceVersion !== undefined) await catchUp(context, request);
  const { method, path, contentType, body } = toHttp(request);
  const response = await context.plane.request(method, path, body, { contentType }).catch(closedConnection);
  if (request.resource.plural === 'resourcequotas' && method !== 'GET') await wait(QUOTA_MS);
  return { code: response.status, body: response.body };
};

const openWatch = async (context: Context, request: WatchRequest, settleMs: number): Promise<RunningWatch> => {
  await catchUp(context, request);
  const stream = await context.openStream(toWatchPath(request));
  return {
    finish: async () => {
      if (stream.refusal === undefined) {
        await context.markers.pass(request.resource);
        await wait(request.resource.plural === 'events' ? Math.max(settleMs, EVENTS_MS) : settleMs);
      }
      stream.close();
      return { events: stream.events, ...(stream.refusal && { refusal: stream.refusal }) };
    },
  };
};

/** Installs the CRDs on the plane, which must run without controllers: only the sequences may write. */
export const createRealServer = async (plane: ControlPlane): Promise<RealServer> => {
  await Promise.all(definitions.map((definition) => install(plane, definition)));
  const openStream = createStreams(plane.access);
  const markers = await createMarkers(plane, openStream);
  const context: Context = { plane, openStream, markers };
  let count = 0;
  return {
    name: 'real',
    createTarget: async (label, { settleMs = 30 } = {}) => {
      count += 1;
      const namespace = `seq-${label}-${count}`;
      await create(plane, '/api/v1/namespaces', { metadata: { name: namespace } });
      // Pods need this ServiceAccount, and no controller runs that would create it.
      await create(plane, `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'default' } });
      return {
        namespace,
        now: Date.now,
        request: (request) => sendRequest(context, request),
        watch: (request) => openWatch(context, request, settleMs),
      };
    },
    // Otherwise the range of addresses would be exhausted.
    clean: async ({ namespace }) => {
      const path = `/api/v1/namespaces/${namespace}/services`;
      const patch = [{ op: 'remove', path: '/metadata/finalizers' }];
      const { body } = await plane.request<{ readonly items: readonly { readonly metadata: { name: string } }[] }>(
        'GET',
        path,
      );
      for (const { metadata } of body.items) {
        const one = `${path}/${metadata.name}`;
        await plane.request('PATCH', one, patch, { contentType: 'application/json-patch+json' });
        await plane.request('DELETE', one, { propagationPolicy: 'Background' });
      }
    },
    close: () => markers.close(),
  };
};
