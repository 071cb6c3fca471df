import type { ServerRequest, ServerResponse } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { failure, type StatusError } from '#lib/apiserver/machinery/status.ts';
import type { JsonObject } from '#lib/json.ts';
import { canConflict, type FaultClass, faultStep, type WorldStep } from '#lib/sim/world/step/step.ts';
import { answerInWords, requestInWords, writeInWords } from '#lib/sim/world/step/wording.ts';
import { connectionLost, type Pending, type PendingSurroundings } from './pending.ts';

/** Options for {@link PendingRequest}. */
export interface RequestSurroundings extends PendingSurroundings {
  readonly host: string;
  readonly server: ApiServer;
  /** Whether the process that sent the request still runs. */
  readonly isHeard: () => boolean;
}

interface Settle {
  readonly resolve: (response: ServerResponse) => void;
  readonly reject: (error: Error) => void;
}

const answerWith = ({ status }: StatusError): ServerResponse => ({
  code: status.code ?? 500,
  body: status as unknown as JsonObject,
});

const ERROR_ANSWERS: readonly ServerResponse[] = [
  failure({
    code: 429,
    reason: 'TooManyRequests',
    message: 'too many requests, please try again later',
    details: { retryAfterSeconds: 1 },
  }),
  failure({ code: 500, reason: 'InternalError', message: 'Internal error occurred: injected' }),
  failure({
    code: 503,
    reason: 'ServiceUnavailable',
    message: 'the server is currently unable to handle the request',
  }),
].map(answerWith);

const CONFLICT = answerWith(
  failure({
    code: 409,
    reason: 'Conflict',
    message:
      'Operation cannot be fulfilled: the object has been modified; please apply your changes to the latest version and try again',
  }),
);

/** The possible ages of a list from an outdated replica, as numbers of resource versions. */
const LAGS = [1, 4, 16];

/** A request to the API server, from its sending until the sender receives the response. */
export class PendingRequest implements Pending {
  readonly #request: ServerRequest;
  readonly #around: RequestSurroundings;
  readonly #settle: Settle;
  readonly #words: string;
  /** The write of the request, for the steps; empty for a read. */
  readonly #about: Pick<WorldStep, 'write'>;
  #since: number;
  #response: ServerResponse | undefined;
  #progress: WorldStep | undefined;
  #sender: string;

  constructor(request: ServerRequest, around: RequestSurroundings, settle: Settle) {
    this.#request = request;
    this.#around = around;
    this.#settle = settle;
    this.#words = requestInWords(request);
    this.#sender = around.host;
    const write = writeInWords(request);
    this.#about = write === undefined ? {} : { write };
    this.#since = around.since();
  }

  get since(): number {
    return this.#since;
  }

  get words(): string {
    return `${this.#sender} ${this.#words}`;
  }

  /**
   * Called when the sender has crashed. A request may still arrive; its labels then differ from the labels of requests of the next
   * process.
   */
  abandon(): void {
    if (this.#response !== undefined) this.#around.done();
    this.#sender = `${this.#sender}(crashed)`;
    this.#progress = undefined;
  }

  describe(): unknown {
    return [this.#sender, this.#request, this.#response ?? null];
  }

  progress(): WorldStep {
    this.#progress ??= this.#response === undefined ? this.#arrival() : this.#hearing(this.#response);
    return this.#progress;
  }

  others(): readonly WorldStep[] {
    if (this.#response !== undefined) return [this.#fault('answer lost', 'answer lost', () => this.#fail())];
    const { verb } = this.#request;
    return [
      this.#fault('request lost', 'request lost', () => this.#fail()),
      ...ERROR_ANSWERS.map((answer) => this.#refusal('error answer', answer)),
      ...(canConflict(verb) ? [this.#refusal('conflict', CONFLICT)] : []),
      ...this.#staleAnswers(),
    ];
  }

  #arrival(): WorldStep {
    const arrives = (): string => this.#answer(this.#around.server.handle(this.#request));
    const server = this.#about.write === undefined ? 'reads' : 'writes';
    const touches = { server, sender: this.#around.host } as const;
    return { label: `${this.#sender} → ${this.#words}`, nature: 'progress', ...this.#about, touches, run: arrives };
  }

  #hearing(response: ServerResponse): WorldStep {
    const heard = (): string => {
      this.#around.done();
      this.#around.heard([this.#words, response]);
      this.#settle.resolve(response);
      return answerInWords(response);
    };
    const touches = { host: this.#around.host };
    return { label: `${this.#sender} ← ${this.#words}`, nature: 'progress', ...this.#about, touches, run: heard };
  }

  #refusal(fault: FaultClass, answer: ServerResponse): WorldStep {
    return this.#fault(fault, `answer ${answer.code}`, () => this.#answer(answer));
  }

  /** Faults in which a replica that lacks the latest writes responds to a list request. */
  #staleAnswers(): WorldStep[] {
    const { server } = this.#around;
    const { verb, resource, namespace } = this.#request;
    if (verb !== 'list') return [];
    return LAGS.flatMap((lag) => {
      const version = String(Number(server.resourceVersion) - lag);
      const objects = server.objectsAt(resource, version);
      if (objects === undefined) return [];
      const items = objects.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
      const response = {
        code: 200,
        body: { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: version }, items },
      };
      const words = lag === 1 ? '1 version stale' : `${lag} versions stale`;
      return [this.#fault('stale list', words, () => this.#answer(response))];
    });
  }

  #fault(fault: FaultClass, what: string, run: () => string | undefined): WorldStep {
    return { ...faultStep(fault, `${what}: ${this.words}`, run), ...this.#about };
  }

  #answer(response: ServerResponse): string {
    this.#response = response;
    this.#progress = undefined;
    this.#since = this.#around.since();
    if (!this.#around.isHeard()) this.#around.done();
    return answerInWords(response);
  }

  #fail(): undefined {
    this.#around.done();
    if (!this.#around.isHeard()) return;
    this.#around.heard([this.#words, 'lost']);
    this.#settle.reject(connectionLost(this.#words));
  }
}
