import type { HttpAnswer, HttpRequest } from '#lib/kube/interface/http.ts';
import type { Guard } from '#lib/sim/world/guard/guard.ts';
import type { HttpExchange } from '#lib/sim/world/scenario/http-exchange.ts';
import type { ClusterView, HttpScript } from '#lib/sim/world/scenario/scenario.ts';

/** Options for {@link Outside}. */
export interface OutsideOptions {
  readonly script: HttpScript | undefined;
  readonly view: ClusterView;
  readonly guard: Guard;
}

/** An HTTP request of an effect in transit. */
export interface Crossing {
  readonly exchange: HttpExchange;
  /**
   * Delivers the request.
   *
   * @throws the errors of the scenario's `answer()`, and {@link TypeError} when it returns an invalid response
   */
  perform(): HttpAnswer;
  lose(): void;
}

const isAnswer = (answer: Partial<HttpAnswer> | undefined): answer is HttpAnswer =>
  Number.isInteger(answer?.status) && typeof answer?.body === 'string';

/**
 * The HTTP servers of a scenario, such as webhook or metrics servers. The servers respond to requests as the scenario defines,
 * and record all requests.
 */
export class Outside {
  readonly #options: OutsideOptions;
  readonly #exchanges: HttpExchange[] = [];

  constructor(options: OutsideOptions) {
    this.#options = options;
  }

  /** Hosts to which the operator may send HTTP requests; `undefined` when the scenario has no HTTP servers. */
  get allowedHosts(): readonly string[] | undefined {
    return this.#options.script?.allowedHosts;
  }

  /** All requests, in the order in which they were sent. */
  get exchanges(): readonly HttpExchange[] {
    return this.#exchanges;
  }

  /** Records a new request. Returns the functions that deliver or lose the request. */
  send(operator: string, { method, url, isUrlSecret, headers, body }: HttpRequest): Crossing {
    const place = this.#exchanges.length;
    const content = { ...(isUrlSecret && { isUrlSecret }), headers, ...(body !== undefined && { body }) };
    const idempotencyKey = headers['idempotency-key'] ?? '';
    const sent: HttpExchange = { operator, method, url: url.href, ...content, idempotencyKey, fate: 'sent' };
    this.#exchanges.push(sent);
    return {
      exchange: sent,
      perform: () => {
        const answer = this.#answer(sent);
        this.#exchanges[place] = { ...sent, fate: 'performed', answer };
        return answer;
      },
      lose: () => {
        this.#exchanges[place] = { ...sent, fate: 'lost' };
      },
    };
  }

  #answer(exchange: HttpExchange): HttpAnswer {
    const { script, view, guard } = this.#options;
    const answer = guard.call('answer() of http', () => script?.answer(exchange, view));
    if (isAnswer(answer)) return answer;
    throw new TypeError('answer() of http returned an invalid response; it needs an integer status and a text as body');
  }
}
