import type { HttpAnswer, HttpRequest } from '#lib/kube/interface/http.ts';
import type { Guard } from '#lib/sim/world/guard/guard.ts';
import type { HttpExchange } from '#lib/sim/world/scenario/http-exchange.ts';
import type { ClusterView, HttpScript } from '#lib/sim/world/scenario/scenario.ts';

/** What the outside needs of its surroundings. */
export interface OutsideOptions {
  readonly script: HttpScript | undefined;
  readonly view: ClusterView;
  readonly guard: Guard;
}

/** A request under way. */
export interface Crossing {
  readonly exchange: HttpExchange;
  /** It arrives. @throws the errors of the script, and {@link TypeError} when it gives no answer */
  perform(): HttpAnswer;
  /** It never will. */
  lose(): void;
}

const isAnswer = (answer: Partial<HttpAnswer> | undefined): answer is HttpAnswer =>
  Number.isInteger(answer?.status) && typeof answer?.body === 'string';

/** The world outside of a virtual cluster: answers what arrives, and keeps a list of all that was sent there. */
export class Outside {
  readonly #options: OutsideOptions;
  readonly #exchanges: HttpExchange[] = [];

  constructor(options: OutsideOptions) {
    this.#options = options;
  }

  /** Hosts that may be asked; `undefined` when the scenario has no such world. */
  get allowedHosts(): readonly string[] | undefined {
    return this.#options.script?.allowedHosts;
  }

  /** In the order in which they were sent. */
  get exchanges(): readonly HttpExchange[] {
    return this.#exchanges;
  }

  /** A request sets out. */
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
