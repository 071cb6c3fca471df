import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { isPlainObject } from '#lib/json.ts';
import type { HttpExchange } from '#lib/sim/world/scenario/http-exchange.ts';
import type { SimulationStage } from './stage.ts';

const FIRST_BAD = 400;

const hrefIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? URL.parse(Buffer.from(value, 'base64').toString('utf8').trim())?.href : undefined;

/** The URL of a request. Only the origin is shown if a Secret contains the URL, even if the effect contains the URL itself. */
const addressOf = ({ url, isUrlSecret }: HttpExchange, server: Pick<ApiServer, 'objects'>): string => {
  const isIn = ({ data }: ServerObject): boolean =>
    isPlainObject(data) && Object.values(data).some((value) => hrefIn(value) === url);
  const isSecret = isUrlSecret === true || server.objects({ group: '', plural: 'secrets' }).some(isIn);
  return isSecret ? `${new URL(url).origin}/…` : url;
};

/** Adds finished HTTP requests of effects to the timeline. */
export class ExchangeTeller {
  readonly #stage: Pick<SimulationStage, 'world' | 'observer'>;
  /** Indexes of the exchanges that are already in the timeline. */
  readonly #told = new Set<number>();
  #first = 0;

  constructor(stage: Pick<SimulationStage, 'world' | 'observer'>) {
    this.#stage = stage;
  }

  look(): void {
    const { world, observer } = this.#stage;
    const { exchanges } = world.outside;
    for (let place = this.#first; place < exchanges.length; place += 1) {
      const exchange = exchanges[place];
      if (exchange === undefined || exchange.fate === 'sent' || this.#told.has(place)) continue;
      this.#told.add(place);
      const { operator, method, answer } = exchange;
      const isBad = answer === undefined || answer.status >= FIRST_BAD;
      const what = `${method} ${addressOf(exchange, world.server)} → ${answer?.status ?? 'lost'}`;
      observer.tell({ sort: 'effect', who: operator, object: '', what, ...(isBad && { isBad }) });
    }
    while (this.#told.delete(this.#first)) this.#first += 1;
  }
}
