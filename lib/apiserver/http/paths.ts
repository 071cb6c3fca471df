import type { ServerResponse } from '#lib/apiserver/machinery/request.ts';
import type { JsonObject } from '#lib/json.ts';
import type { ApiCatalogue } from './discovery/catalogue.ts';
import { aggregatedDiscovery, discoveryAt } from './discovery/discovery.ts';
import { openApiAt } from './discovery/openapi.ts';
import { openApiV2 } from './discovery/openapi-v2.ts';
import { negotiate, type Wanted } from './encoding/media.ts';
import type { TextAnswer } from './response/answer.ts';

/** The parts of a request for a path without a resource on which the response depends. */
export interface PathRequest {
  readonly catalogue: ApiCatalogue;
  readonly segments: readonly string[];
  /** Host and port of the server. */
  readonly address: string;
  readonly accept: string | undefined;
}

/** An object with its media type. */
export type PathAnswer = ServerResponse & Pick<Wanted, 'format' | 'mediaType'>;

/** The version of Kubernetes that this server works like, with a suffix that marks the server as virtual. */
export const kubernetesVersion = 'v1.36.4+embedded';

const VERSION: JsonObject = {
  major: '1',
  minor: '36',
  gitVersion: kubernetesVersion,
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'virtual/cluster',
};

const HEALTH: ReadonlySet<string> = new Set(['healthz', 'livez', 'readyz']);

const asJson = (body: JsonObject | undefined): PathAnswer | undefined =>
  body && { code: 200, body, format: 'json', mediaType: 'application/json' };

const discovery = ({ catalogue, segments, address, accept }: PathRequest): PathAnswer | undefined => {
  const [root = '', ...rest] = segments;
  const wanted = negotiate(accept);
  if (wanted.as === 'APIGroupDiscoveryList' && rest.length === 0) {
    const body = aggregatedDiscovery(catalogue, root === 'api' ? 'api' : 'apis');
    return { code: 200, body, format: wanted.format, mediaType: wanted.mediaType };
  }
  const body = discoveryAt(catalogue, segments, address);
  return body && { code: 200, body, format: wanted.format, mediaType: `application/${wanted.format}` };
};

/** Returns the OpenAPI v2 document. @throws {StatusError} 406 for clients that accept only protobuf */
const olderOpenApi = ({ catalogue, accept }: PathRequest): PathAnswer | undefined => {
  negotiate(accept);
  return asJson(openApiV2(catalogue));
};

/**
 * Returns the response for the list of paths (`/`), health, version, discovery and OpenAPI.
 *
 * @returns undefined for a path that is not served
 * @throws {StatusError} 406 when the client accepts no form of the document
 */
export const answerPath = (request: PathRequest): TextAnswer | PathAnswer | undefined => {
  const { segments, catalogue } = request;
  const [root = '', second] = segments;
  if (root === '' && second === undefined) {
    return asJson({
      paths: ['/api', '/apis', '/healthz', '/livez', '/openapi/v2', '/openapi/v3', '/readyz', '/version'],
    });
  }
  if (HEALTH.has(root) && (second === undefined || second === 'ping')) return { code: 200, text: 'ok' };
  if (root === 'version' && second === undefined) return asJson(VERSION);
  if (root === 'api' || root === 'apis') return discovery(request);
  if (root !== 'openapi') return undefined;
  if (second === 'v2') return segments.length === 2 ? olderOpenApi(request) : undefined;
  return second === 'v3' ? asJson(openApiAt(catalogue, segments.slice(2))) : undefined;
};
