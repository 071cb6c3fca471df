import type { ServerResponse as HttpResponse, IncomingMessage } from 'node:http';
import type { AccessControl } from '#lib/apiserver/access/access.ts';
import type { ClusterUser } from '#lib/apiserver/access/user.ts';
import type { ResourceName, ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { noSuchResource, noSuchVerb } from '#lib/apiserver/machinery/status.ts';
import { ApiCatalogue } from './discovery/catalogue.ts';
import { negotiate, type Wanted } from './encoding/media.ts';
import { isNewerEvents, olderEvents, toOlderSelector } from './event-alias.ts';
import { answerPath } from './paths.ts';
import { attributesOf, creationOf, impersonationIn } from './request/attributes.ts';
import { checkTimeout, isWatch, watchOptions } from './request/query.ts';
import { readRequest } from './request/read-request.ts';
import { type RequestVerb, type ResourceRoute, requestVerb, routeOf } from './request/route.ts';
import { httpAnswer, noSuchPath, sendObject, sendText, type TextAnswer } from './response/answer.ts';
import { ResponseFormatter } from './response/response-formatter.ts';
import { streamWatch, type WatchStream } from './response/watch-stream.ts';

/** The record of a request and its response, as in an audit log. */
export interface RequestRecord {
  readonly user: string;
  /** The verb of RBAC: `get`, `list`, `watch`, `create`, …. For a path that is not a resource, the method in lower case. */
  readonly verb: string;
  /** The resource, such as `podsets.app.example.com/status`; the path for a request without a resource. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  /** The HTTP status code; 499 when the client disconnected before the response. */
  readonly code: number;
  readonly userAgent: string;
}

/** Options of {@link HttpApi}. */
export interface HttpApiOptions {
  readonly server: ApiServer;
  /** The kinds that the server serves from the start, in addition to CustomResourceDefinition. */
  readonly kinds: readonly ServedKind[];
  readonly access: AccessControl;
  /** Returns the current time in epoch milliseconds. */
  readonly now: () => number;
  /** Returns the host and port that discovery shows. */
  readonly address: () => string;
  /** Called for every request after its response, and for a watch at its start. */
  readonly onRequest?: (record: RequestRecord) => void;
  /** Called after every request that may have changed stored objects. */
  readonly onWrite?: () => void;
}

interface Exchange {
  readonly message: IncomingMessage;
  readonly response: HttpResponse;
  readonly user: ClusterUser;
  readonly query: URLSearchParams;
  readonly wanted: Wanted;
}

const CLIENT_LEFT = 499;

/** Verbs that may create an absent object. Such a create needs the right to create. */
const CHANGES: ReadonlySet<string> = new Set(['update', 'patch']);

/**
 * Serves the virtual API server over HTTP to kubectl, operators and all other Kubernetes clients.
 *
 * Flow of a request: check the token → parse the path → apply impersonation headers → authorize with RBAC → read the body → call
 * the server → encode the response in the form that the client accepts (JSON, YAML, Table, metadata only).
 *
 * Guarantees: every request gets a response. A failed request gets a `Status`, or a text for a path outside the API. The server
 * refuses a body of more than 3 MiB. The response to an unauthorized request does not show which objects exist.
 */
export class HttpApi {
  readonly #options: HttpApiOptions;
  readonly #catalogue: ApiCatalogue;
  readonly #formatter: ResponseFormatter;
  readonly #streams = new Map<WatchStream, ResourceName>();
  #served: readonly unknown[];

  constructor(options: HttpApiOptions) {
    this.#options = options;
    const { server, kinds, now } = options;
    this.#catalogue = new ApiCatalogue(kinds, () => server.objects(resources.definitions));
    this.#formatter = new ResponseFormatter(this.#catalogue, now);
    this.#served = this.#catalogue.all;
  }

  /** Ends all watches, with a complete response. */
  endWatches(): void {
    for (const stream of this.#streams.keys()) stream.end();
  }

  /**
   * Ends the watches of resources that are no longer served. The caller must call this method after writes outside of HTTP.
   */
  endOrphans(): void {
    const { all } = this.#catalogue;
    if (all === this.#served) return;
    this.#served = all;
    for (const [stream, resource] of this.#streams) if (this.#catalogue.find(resource) === undefined) stream.end();
  }

  /** Handles a request. This method never throws. */
  async handle(message: IncomingMessage, response: HttpResponse): Promise<void> {
    const [path = '/', search = ''] = (message.url ?? '/').split(/\?(.*)/s);
    let user: ClusterUser | undefined;
    let note: Omit<RequestRecord, 'user' | 'code' | 'userAgent'> = {
      verb: (message.method ?? '').toLowerCase(),
      resource: path,
    };
    const record = (code: number): void => {
      const userAgent = message.headers['user-agent'] ?? '';
      this.#options.onRequest?.({ user: user?.name ?? '', ...note, code, userAgent });
    };
    try {
      const { access } = this.#options;
      const query = new URLSearchParams(search);
      checkTimeout(query);
      user = access.authenticate(message.headers.authorization);
      const route = routeOf(path);
      const { resource } = route;
      const verb = resource && requestVerb(message.method ?? '', resource, isWatch(query));
      const wants = resource ? attributesOf(resource, verb ?? '', query) : { verb: note.verb, path };
      user = access.impersonate(user, impersonationIn(message), wants);
      if (resource === undefined) {
        const given = await this.#answerPath({ message, user, path, segments: route.segments }, response);
        record(given);
        return;
      }
      if (verb === undefined) throw noSuchVerb();
      note = noteOf(resource, verb);
      access.authorize(user, wants);
      this.#checkScope(resource);
      const wanted = negotiate(message.headers.accept, !this.#catalogue.isReview(resource.resource));
      const exchange: Exchange = { message, response, user, query, wanted };
      if (verb === 'watch') this.#watch(exchange, resource);
      else await this.#request(exchange, resource, verb);
      record(response.headersSent ? response.statusCode : CLIENT_LEFT);
    } catch (error) {
      record(this.#fail(error, message, response));
    }
  }

  /**
   * Checks that the path to a cluster-scoped resource has no namespace. Otherwise, rights in a namespace would apply to
   * cluster-scoped resources.
   *
   * @throws {StatusError} 404
   */
  #checkScope({ resource, namespace }: ResourceRoute): void {
    if (namespace !== undefined && this.#catalogue.find(resource)?.isNamespaced === false) throw noSuchResource();
  }

  #fail(error: unknown, message: IncomingMessage, response: HttpResponse): number {
    if (response.headersSent || response.destroyed || message.socket.destroyed) {
      response.destroy();
      return CLIENT_LEFT;
    }
    const answer = httpAnswer(error);
    // The rest of the request is read and ignored. If the server closed the connection now, a client that is still sending would
    // not receive the response.
    message.resume();
    sendObject(response, answer, { format: 'json', mediaType: 'application/json' });
    return answer.code;
  }

  async #answerPath(
    given: {
      readonly message: IncomingMessage;
      readonly user: ClusterUser;
      readonly path: string;
      readonly segments: readonly string[];
    },
    response: HttpResponse,
  ): Promise<number> {
    const { message, user, path, segments } = given;
    const method = message.method ?? '';
    this.#options.access.authorize(user, { verb: method.toLowerCase(), path });
    if (method !== 'GET') throw noSuchVerb();
    const answer: TextAnswer | ServerResponse | undefined = answerPath({
      catalogue: this.#catalogue,
      segments,
      address: this.#options.address(),
      accept: message.headers.accept,
    });
    if (answer === undefined) sendText(response, noSuchPath);
    else if ('text' in answer) sendText(response, answer);
    else sendObject(response, answer, answer as ServerResponse & Wanted);
    return answer?.code ?? noSuchPath.code;
  }

  #watch({ response, query, wanted }: Exchange, route: ResourceRoute): void {
    const { timeoutSeconds, fieldSelector, ...given } = watchOptions(query);
    const isNewer = isNewerEvents(route.resource);
    const request = {
      ...given,
      resource: isNewer ? olderEvents : route.resource,
      ...(route.namespace !== undefined && { namespace: route.namespace }),
      ...(fieldSelector !== undefined && { fieldSelector: isNewer ? toOlderSelector(fieldSelector) : fieldSelector }),
    };
    const { server } = this.#options;
    const show = this.#formatter.ofEvents(route.resource, wanted, query.get('includeObject') ?? undefined);
    const stream: WatchStream = streamWatch(
      { server, request, response, mediaType: 'application/json', show, timeoutSeconds },
      () => void this.#streams.delete(stream),
    );
    this.#streams.set(stream, request.resource);
  }

  async #request(exchange: Exchange, route: ResourceRoute, verb: Exclude<RequestVerb, 'watch'>): Promise<void> {
    const { response, user, query, wanted } = exchange;
    const { access, server, onWrite } = this.#options;
    const request = {
      ...(await readRequest(exchange, route, verb)),
      ...(CHANGES.has(verb) && { authorizeCreation: () => access.authorize(user, creationOf(route)) }),
    };
    const answer = access.answer(user, request) ?? server.handle(request);
    const isChange = verb !== 'get' && verb !== 'list';
    if (isChange) onWrite?.();
    if (isChange) this.endOrphans();
    const includeObject = query.get('includeObject') ?? undefined;
    const { body, mediaType } = this.#formatter.show(answer.body, { resource: route.resource, wanted, includeObject });
    sendObject(response, { code: answer.code, body }, { format: wanted.format, mediaType });
  }
}

const noteOf = ({ resource, subresource, namespace, name }: ResourceRoute, verb: RequestVerb) => ({
  verb,
  resource: `${resource.plural}${resource.group === '' ? '' : `.${resource.group}`}${subresource === undefined ? '' : `/${subresource}`}`,
  ...(namespace !== undefined && { namespace }),
  ...(name !== undefined && { name }),
});
