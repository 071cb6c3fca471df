import type { ServerRequest, ServerResponse } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import type { VirtualTransport } from '#lib/sim/world/api/transport.ts';

/** A write to the virtual API server, with the object before and after the write. */
export interface RecordedWrite {
  readonly request: ServerRequest;
  readonly response: ServerResponse;
  /** Whether the server accepted the write. */
  readonly isAccepted: boolean;
  readonly name: string;
  /** The namespace; empty for a cluster-scoped object. */
  readonly namespace: string;
  /** The object before the write; `undefined` if the object did not exist. */
  readonly before: JsonObject | undefined;
  /** The object after the write; `undefined` if the object does not exist. */
  readonly after: JsonObject | undefined;
}

const FIRST_ERROR_CODE = 400;

const isRead = ({ verb }: ServerRequest): boolean => verb === 'get' || verb === 'list';

const nameOf = ({ name, body }: ServerRequest): string => {
  const metadata = isPlainObject(body) ? body['metadata'] : undefined;
  const inBody = isPlainObject(metadata) ? metadata['name'] : undefined;
  return name ?? (typeof inBody === 'string' ? inBody : '');
};

const stored = (server: ApiServer, { resource, namespace }: ServerRequest, name: string): JsonObject | undefined => {
  const place = namespace === undefined ? {} : { namespace };
  const { code, body } = server.handle({ verb: 'get', resource, ...place, name });
  return code < FIRST_ERROR_CODE ? body : undefined;
};

/** Sends a write, and records the object before and after the write. */
export const recordWrite = (server: ApiServer, request: ServerRequest): RecordedWrite => {
  const name = nameOf(request);
  const before = stored(server, request, name);
  const response = server.handle(request);
  const after = stored(server, request, name);
  const { namespace = '' } = request;
  return { request, response, isAccepted: response.code < FIRST_ERROR_CODE, name, namespace, before, after };
};

/** Returns a transport that passes every write, except dry runs, to `onWrite`. */
export const recording = (
  transport: VirtualTransport,
  server: ApiServer,
  onWrite: (write: RecordedWrite) => void,
): VirtualTransport => ({
  watch: async (request, terms, onEvent) => transport.watch(request, terms, onEvent),
  request: async (request) => {
    if (isRead(request) || request.options?.dryRun === true) return transport.request(request);
    const write = recordWrite(server, request);
    onWrite(write);
    return write.response;
  },
});
