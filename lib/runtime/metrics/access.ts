import { createHash } from 'node:crypto';
import { isPlainObject } from '#lib/json.ts';
import type { Timers } from '#lib/kube/interface/timers.ts';
import type { Requester } from '#lib/kube/transport/request.ts';
import { RecentMap } from '#lib/loop/events/recent-map.ts';
import type { Logger } from '#lib/telemetry/log.ts';
import type { MetricsVerdict } from '#lib/telemetry/metrics.ts';

/** The time for which a verdict is reused, in milliseconds. A revoked token is still accepted during this time. */
const REMEMBERED_MS = 60_000;
/** The maximum number of remembered verdicts, one for each token. */
const TOKENS = 64;
/** The maximum number of concurrent token reviews, because any client can send tokens. */
const AT_ONCE = 4;

/** Options of {@link MetricsAccess}. */
export interface MetricsAccessOptions extends Requester {
  readonly timers: Timers;
  readonly log: Pick<Logger, 'warn'>;
}

interface Remembered {
  readonly verdict: Promise<MetricsVerdict>;
  readonly until: number;
}

const memberOf = (value: unknown, name: string): unknown => (isPlainObject(value) ? value[name] : undefined);

/**
 * Checks with the API server whether the sender of a request may read `/metrics`.
 *
 * Flow: a TokenReview returns the user of the bearer token. A SubjectAccessReview checks whether that user may `get` the
 * path.
 *
 * Guarantees: a verdict other than 503 is reused for a minute; at most four tokens are reviewed at a time; tokens are neither
 * kept nor logged.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#webhook-token-authentication
 */
export class MetricsAccess {
  readonly #options: MetricsAccessOptions;
  readonly #remembered = new RecentMap<Remembered>(TOKENS);
  #asking = 0;

  constructor(options: MetricsAccessOptions) {
    this.#options = options;
  }

  /**
   * Decides on a request. A failed review, or more than four at a time, gives 503.
   *
   * @param authorization - the `Authorization` header of the request
   */
  async verdictOn(authorization: string | undefined): Promise<MetricsVerdict> {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return 401;
    const id = createHash('sha256').update(token).digest('base64');
    const known = this.#remembered.get(id);
    if (known && this.#options.timers.elapsed() < known.until) return known.verdict;
    if (this.#asking >= AT_ONCE) return 503;
    const verdict = this.#ask(token, id);
    this.#remembered.set(id, { verdict, until: this.#options.timers.elapsed() + REMEMBERED_MS });
    return verdict;
  }

  async #ask(token: string, id: string): Promise<MetricsVerdict> {
    this.#asking += 1;
    try {
      const user = await this.#userOf(token);
      if (user === undefined) return 401;
      return (await this.#mayRead(user)) ? 200 : 403;
    } catch (error) {
      this.#options.log.warn({ error }, 'cannot ask the API server whether metrics may be read');
      this.#remembered.delete(id);
      return 503;
    } finally {
      this.#asking -= 1;
    }
  }

  async #userOf(token: string): Promise<unknown> {
    const apiVersion = 'authentication.k8s.io/v1';
    const review = await this.#review('tokenreviews', { apiVersion, kind: 'TokenReview', spec: { token } });
    return memberOf(review, 'authenticated') === true ? memberOf(review, 'user') : undefined;
  }

  async #mayRead(user: unknown): Promise<boolean> {
    const [username, uid, groups, extra] = ['username', 'uid', 'groups', 'extra'].map((name) => memberOf(user, name));
    const nonResourceAttributes = { path: '/metrics', verb: 'get' };
    const spec = { user: username, uid, groups, extra, nonResourceAttributes };
    const apiVersion = 'authorization.k8s.io/v1';
    const review = await this.#review('subjectaccessreviews', { apiVersion, kind: 'SubjectAccessReview', spec });
    return memberOf(review, 'allowed') === true;
  }

  async #review(resource: string, body: { readonly apiVersion: string; readonly kind: string; readonly spec: object }) {
    const path = `/apis/${body.apiVersion}/${resource}`;
    const request = { verb: 'create', resource, subject: resource, method: 'POST' as const, path, body };
    return memberOf(await this.#options.request(request), 'status');
  }
}
