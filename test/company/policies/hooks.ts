import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCertificates } from '#lib/embedded/certificates.ts';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import type { Admitted } from './admitted.ts';

/** The behavior of a webhook. */
export interface Hook {
  /** Changes the object in place. @throws {Error} to refuse the request with its message */
  readonly admit?: (object: Admitted) => void;
  /** @default pods when they are created, Deployments when they are created or updated */
  readonly rules?: readonly object[];
  /** Delay of the webhook's answers, in milliseconds. @default none */
  readonly delayMs?: number;
  /** Status code of the webhook's answers. @default 200 */
  readonly httpStatus?: number;
  /** Replaces the address of this server, for example by a Service that does not exist. */
  readonly clientConfig?: object;
  /** @default 10 */
  readonly timeoutSeconds?: number;
}

const rule = (group: string, resource: string, ...operations: readonly string[]): object => ({
  apiGroups: [group],
  apiVersions: ['*'],
  resources: [resource],
  operations,
});

/** Rules of webhooks. */
export const createdPods = rule('', 'pods', 'CREATE');
export const writtenPods = rule('', 'pods', 'CREATE', 'UPDATE');
export const writtenDeployments = rule('apps', 'deployments', 'CREATE', 'UPDATE');
/** The resources of the kinds of the library. */
export const writtenResources = {
  ...rule('', '*', 'CREATE', 'UPDATE'),
  apiGroups: ['app.example.com', 'deploy.example.com', 'immortalcontainer.flugel.it'],
};

interface Review {
  readonly request: {
    readonly uid: string;
    readonly kind: { readonly kind: string };
    readonly object: object | null;
  };
}

/** A JSON patch between two states of an object, by top-level member. */
const patchOf = (before: object, after: object): readonly object[] =>
  Object.entries(after)
    .filter(([key, value]) => JSON.stringify(value) !== JSON.stringify((before as Record<string, unknown>)[key]))
    .map(([key, value]) => ({ op: 'add', path: `/${key}`, value: value as unknown }));

const answerOf = ({ request }: Review, { admit }: Hook): object => {
  const { uid, kind, object } = request;
  if (object === null || !admit) return { uid, allowed: true };
  const changed = { metadata: {}, ...structuredClone(object), kind: kind.kind };
  try {
    admit(changed);
  } catch (error) {
    return { uid, allowed: false, status: { code: 403, message: (error as Error).message } };
  }
  const patch = patchOf({ ...object, kind: kind.kind }, changed);
  const encoded = Buffer.from(JSON.stringify(patch)).toString('base64');
  return { uid, allowed: true, ...(patch.length > 0 && { patchType: 'JSONPatch', patch: encoded }) };
};

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';

/** The label of a namespace that selects webhooks. */
const LABEL = 'hook';

/** A server of admission webhooks, each for the namespaces whose label selects it. */
export class HookServer implements AsyncDisposable {
  readonly #plane: ControlPlane;
  readonly #hooks = new Map<string, Hook>();
  readonly #ca: string;
  readonly #server: Server;

  private constructor(plane: ControlPlane) {
    const { ca, certificate, key } = createCertificates('127.0.0.1', new Date());
    this.#plane = plane;
    this.#ca = ca;
    this.#server = createServer({ cert: certificate, key }, (request, response) => {
      const hook = this.#hooks.get((request.url ?? '').split('?')[0]?.slice(1) ?? '') ?? {};
      const answer = async (): Promise<void> => {
        const review = JSON.parse(await text(request)) as Review;
        if (hook.delayMs !== undefined) await sleep(hook.delayMs);
        const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answerOf(review, hook) };
        response.writeHead(hook.httpStatus ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
      // The API server may close the connection meanwhile.
      answer().catch(() => response.destroy());
    });
  }

  static async start(plane: ControlPlane): Promise<HookServer> {
    const made = new HookServer(plane);
    await new Promise<void>((resolve) => {
      made.#server.listen(0, '127.0.0.1', resolve);
    });
    return made;
  }

  /** Registers webhooks. @returns a function that removes them */
  async install(hooks: Readonly<Record<string, Hook>>): Promise<() => Promise<void>> {
    for (const [name, hook] of Object.entries(hooks)) this.#hooks.set(name, hook);
    const name = `hooks-${Object.keys(hooks)[0]?.toLowerCase() ?? ''}`;
    const configuration = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name },
      webhooks: Object.entries(hooks).map((entry) => this.#webhook(...entry)),
    };
    await this.#ask('POST', CONFIGURATIONS, configuration);
    return async () => this.#ask('DELETE', `${CONFIGURATIONS}/${name}`);
  }

  /** Creates a namespace with the label of a webhook. */
  async namespace(hook: string): Promise<string> {
    return this.#plane.createNamespace(hook.toLowerCase(), { [LABEL]: hook });
  }

  async #ask(method: string, path: string, body?: object): Promise<void> {
    const answer = await this.#plane.request(method, path, body);
    if (answer.status >= 300) throw new Error(`Cannot ${method} ${path}: ${JSON.stringify(answer.body)}`);
  }

  #webhook(
    name: string,
    { rules = [createdPods, writtenDeployments], clientConfig, timeoutSeconds = 10 }: Hook,
  ): object {
    const { port } = this.#server.address() as AddressInfo;
    const ours = { url: `https://127.0.0.1:${port}/${name}`, caBundle: Buffer.from(this.#ca).toString('base64') };
    return {
      name: `${name.toLowerCase()}.hooks.example.com`,
      clientConfig: clientConfig ?? ours,
      rules,
      namespaceSelector: { matchLabels: { [LABEL]: name } },
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Fail',
      timeoutSeconds,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }
}
