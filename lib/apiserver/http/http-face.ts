import type { ServerResponse as HttpResponse, IncomingMessage } from 'node:http';
import type { Access } from '#lib/apiserver/access/access.ts';
import type { ClusterUser } from '#lib/apiserver/access/user.ts';
import type { ResourceName, ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { answerOf, noSuchMethod, noSuchPath, noSuchResource, sendObject, sendText, type TextAnswer } from './answer.ts';
import { attributesOf, creationOf, impersonationIn } from './attributes.ts';
import { Catalogue } from './catalogue.ts';
import { isNewerEvents, olderEvents, toOlderSelector } from './event-alias.ts';
import { negotiate, type Wanted } from './media.ts';
import { answerPath } from './paths.ts';
import { checkTimeout, isWatch, watchOptions } from './query.ts';
import { readRequest } from './read-request.ts';
import { type ResourceRoute, routeOf, type Verb, verbOf } from './route.ts';
import { Shower } from './shower.ts';
import { streamWatch, type WatchStream } from './watch-stream.ts';

/** A request that was answered: what an audit log would say of it. */
export interface RequestRecord {
  readonly user: string;
  /** Of RBAC: `get`, `list`, `watch`, `create`, …; for paths that are no resource, the method in lower case. */
  readonly verb: string;
  /** `podsets.app.example.com/status`, or the path. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  /** The HTTP status code; 499 when the client left before the answer. */
  readonly code: number;
  readonly userAgent: string;
}

/** What {@link HttpFace} is made of. */
export interface HttpFaceOptions {
  readonly server: ApiServer;
  /** The kinds that the server serves from the start, in addition to CustomResourceDefinition. */
  readonly kinds: readonly ServedKind[];
  readonly access: Access;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Host and port, as discovery tells them. */
  readonly address: () => string;
  /** Called with every request when it is answered; with watches, when they begin. */
  readonly onRequest?: (record: RequestRecord) => void;
  /** Called after everything that may have changed what is stored. */
  readonly onWrite?: () => void;
}

/** A request on its way. */
interface Exchange {
  readonly message: IncomingMessage;
  readonly response: HttpResponse;
  readonly user: ClusterUser;
  readonly query: URLSearchParams;
  readonly wanted: Wanted;
}

const CLIENT_LEFT = 499;

/** Verbs for which a right to create is asked when they come to it. */
const CHANGES: ReadonlySet<string> = new Set(['update', 'patch']);

/**
 * The virtual API server for whoever speaks HTTP: kubectl, operators, any client of Kubernetes.
 *
 * Flow of a request: token → path → RBAC → body → server → the form that the client accepts (JSON, YAML, Table, metadata alone).
 *
 * Guarantees: every request is answered, with a `Status` when it fails; a body is never read beyond 3 MiB; who is not authorized
 * learns nothing of what there is.
 */
export class HttpFace {
  readonly #options: HttpFaceOptions;
  readonly #catalogue: Catalogue;
  readonly #shower: Shower;
  readonly #streams = new Map<WatchStream, ResourceName>();
  #served: readonly unknown[];

  constructor(options: HttpFaceOptions) {
    this.#options = options;
    const { server, kinds, now } = options;
    this.#catalogue = new Catalogue(kinds, () => server.objects(resources.definitions));
    this.#shower = new Shower(this.#catalogue, now);
    this.#served = this.#catalogue.all;
  }

  /** Ends all watches in good order. */
  endWatches(): void {
    for (const stream of this.#streams.keys()) stream.end();
  }

  /** Ends the watches of kinds that are not served any more. To be called after writes that did not come by HTTP. */
  endOrphans(): void {
    const { all } = this.#catalogue;
    if (all === this.#served) return;
    this.#served = all;
    for (const [stream, resource] of this.#streams) if (this.#catalogue.find(resource) === undefined) stream.end();
  }

  /** Answers a request; never throws. */
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
      const verb = resource && verbOf(message.method ?? '', resource, isWatch(query));
      const wants = resource ? attributesOf(resource, verb ?? '', query) : { verb: note.verb, path };
      user = access.impersonate(user, impersonationIn(message), wants);
      if (resource === undefined) {
        const given = await this.#answerPath({ message, user, path, segments: route.segments }, response);
        record(given);
        return;
      }
      if (verb === undefined) throw noSuchMethod();
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
   * What is in no namespace has no path through one: who may do something in that namespace has no say about it.
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
    const answer = answerOf(error);
    // Who still writes would not hear the answer if the connection were closed now.
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
    if (method !== 'GET') throw noSuchMethod();
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
    const show = this.#shower.ofEvents(route.resource, wanted, query.get('includeObject') ?? undefined);
    const stream: WatchStream = streamWatch(
      { server, request, response, mediaType: 'application/json', show, timeoutSeconds },
      () => void this.#streams.delete(stream),
    );
    this.#streams.set(stream, request.resource);
  }

  async #request(exchange: Exchange, route: ResourceRoute, verb: Exclude<Verb, 'watch'>): Promise<void> {
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
    const { body, mediaType } = this.#shower.show(answer.body, { resource: route.resource, wanted, includeObject });
    sendObject(response, { code: answer.code, body }, { format: wanted.format, mediaType });
  }
}

const noteOf = ({ resource, subresource, namespace, name }: ResourceRoute, verb: Verb) => ({
  verb,
  resource: `${resource.plural}${resource.group === '' ? '' : `.${resource.group}`}${subresource === undefined ? '' : `/${subresource}`}`,
  ...(namespace !== undefined && { namespace }),
  ...(name !== undefined && { name }),
});
