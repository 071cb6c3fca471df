import type { HttpAnswer } from '#lib/kube/interface/http.ts';
import { faultStep, type WorldStep } from '#lib/sim/world/step/step.ts';
import type { Crossing } from './outside.ts';
import { connectionLost, type Pending, type PendingSurroundings } from './pending.ts';

/** Options for {@link PendingHttp}. */
export interface HttpSurroundings extends PendingSurroundings {
  readonly crossing: Crossing;
  /** Whether the sender still waits for the response: its process has not ended, and the request was not aborted. */
  readonly isHeard: () => boolean;
}

interface Settle {
  readonly resolve: (answer: HttpAnswer) => void;
  readonly reject: (error: Error) => void;
}

/** Error responses of a gateway between the cluster and the server. */
const GATEWAY_ANSWERS: readonly HttpAnswer[] = [429, 503].map((status) => ({ status, body: '' }));

/** An HTTP request of an effect, from its sending until the sender receives the response. */
export class PendingHttp implements Pending {
  readonly #around: HttpSurroundings;
  readonly #settle: Settle;
  readonly #request: string;
  #sender: string;
  #since: number;
  #answer: HttpAnswer | undefined;
  #progress: WorldStep | undefined;

  constructor(around: HttpSurroundings, settle: Settle) {
    const { operator, method, url, idempotencyKey } = around.crossing.exchange;
    this.#request = `${method} ${url} [${idempotencyKey.slice(idempotencyKey.indexOf('/') + 1)}]`;
    this.#sender = operator;
    this.#around = around;
    this.#settle = settle;
    this.#since = around.since();
  }

  get since(): number {
    return this.#since;
  }

  /** Whether the request has no response yet, neither from the server nor from a gateway. */
  get isOnItsWay(): boolean {
    return this.#answer === undefined;
  }

  get words(): string {
    return `${this.#sender} ${this.#request}`;
  }

  /** See `PendingRequest.abandon`. */
  abandon(): void {
    if (this.#answer !== undefined) this.#around.done();
    this.#sender = `${this.#sender}(crashed)`;
    this.#progress = undefined;
  }

  describe(): unknown {
    return [this.#around.crossing.exchange, this.#answer ?? null, this.#around.isHeard()];
  }

  progress(): WorldStep {
    this.#progress ??= this.#answer === undefined ? this.#arrival() : this.#hearing(this.#answer);
    return this.#progress;
  }

  others(): readonly WorldStep[] {
    if (this.#answer !== undefined) return [this.#fault('answer lost', () => this.#fail())];
    const { crossing } = this.#around;
    return [
      this.#fault('request lost', () => {
        crossing.lose();
        return this.#fail();
      }),
      ...GATEWAY_ANSWERS.map((answer) =>
        this.#fault(`answer ${answer.status}`, () => {
          crossing.lose();
          return this.#answered(answer);
        }),
      ),
    ];
  }

  #arrival(): WorldStep {
    const arrives = (): string => this.#answered(this.#around.crossing.perform());
    return { label: `${this.#sender} → ${this.#request}`, nature: 'progress', run: arrives };
  }

  #hearing(answer: HttpAnswer): WorldStep {
    const heard = (): string => {
      this.#around.done();
      this.#around.heard([this.words, answer]);
      this.#settle.resolve(answer);
      return String(answer.status);
    };
    return { label: `${this.#sender} ← ${this.#request}`, nature: 'progress', run: heard };
  }

  #fault(what: string, run: () => string | undefined): WorldStep {
    return faultStep('http', `${what}: ${this.words}`, run);
  }

  #answered(answer: HttpAnswer): string {
    this.#answer = answer;
    this.#progress = undefined;
    this.#since = this.#around.since();
    if (!this.#around.isHeard()) this.#around.done();
    return String(answer.status);
  }

  #fail(): undefined {
    this.#around.done();
    if (!this.#around.isHeard()) return;
    this.#around.heard([this.words, 'lost']);
    this.#settle.reject(connectionLost(this.words));
  }
}
