import { setTimeout as sleep } from 'node:timers/promises';
import { inFlight } from '#test/bench/floor/bare-client.ts';
import type { ControlPlaneClient } from '#test/control-plane/client.ts';
import type { ApiResponse } from '#test/control-plane/request.ts';
import type { Random } from '#test/differential/random.ts';
import { type SoakKind, soakKinds } from './kinds.ts';
import { isUnreported, livingPods, reportPod } from './kubelet.ts';

/** The users and the kubelets of a soak. */
export interface SoakDriver {
  readonly namespaces: readonly string[];
  /** Creates all resources. */
  readonly createAll: () => Promise<void>;
  /** Creates as many resources as were deleted and not replaced. */
  readonly createMissing: () => Promise<void>;
  /** Changes resources and pods in a random order, until the returned function is called. */
  readonly keepChanging: () => () => Promise<void>;
  /** Requests so far. */
  readonly requests: () => number;
  /** Edits that the API server has accepted. */
  readonly edits: () => number;
}

interface Living {
  readonly kind: SoakKind;
  readonly namespace: string;
  readonly name: string;
}

const merge = { contentType: 'application/merge-patch+json' } as const;

const PAUSE_MS = 40;
/** At most so many pods get a status at one time. */
const REPORTS = 30;

/** Codes for a request that can never succeed, which is a mistake of the driver. */
const MISTAKES = [400, 422];
/** A name is used once, and the user has all rights. */
const MISTAKES_OF_CREATES = [...MISTAKES, 403, 409];
/** The reason of a 403 while the API server starts. */
const STARTING = 'not yet ready to handle request';

/** Whether the API server accepted a request. @throws {TypeError} for a mistake of the driver */
const isAccepted = (what: string, { status, body }: ApiResponse, mistakes = MISTAKES): boolean => {
  if (status < 300) return true;
  const text = JSON.stringify(body);
  if (mistakes.includes(status) && !text.includes(STARTING)) throw new TypeError(`Cannot ${what}: ${status} ${text}`);
  return false;
};

const collectionOf = ({ apiVersion, plural }: SoakKind, namespace: string): string =>
  `/apis/${apiVersion}/namespaces/${namespace}/${plural}`;

/** Options of {@link createSoakDriver}. */
export interface SoakDriverOptions {
  readonly count: number;
  readonly namespaces: readonly string[];
  readonly random: Random;
}

/** Creates a driver whose choices depend on `random` only. */
export const createSoakDriver = (
  { request, ...plane }: ControlPlaneClient,
  { count, namespaces, random }: SoakDriverOptions,
): SoakDriver => {
  const living: Living[] = [];
  const state = { serial: 0, requests: 0, edits: 0, total: 0 };
  const send: ControlPlaneClient['request'] = async (...words) => {
    state.requests += 1;
    return request(...words);
  };
  const client = { ...plane, request: send };
  const create = async (kind: SoakKind): Promise<void> => {
    state.serial += 1;
    const name = `${kind.kind.toLowerCase()}-${state.serial}`;
    const namespace = random.pick(namespaces);
    const { apiVersion, kind: kindName } = kind;
    const body = { apiVersion, kind: kindName, metadata: { name }, spec: kind.spec(random, name) };
    const answer = await send('POST', collectionOf(kind, namespace), body);
    if (isAccepted(`create ${name}`, answer, MISTAKES_OF_CREATES)) living.push({ kind, namespace, name });
  };
  const edit = async (): Promise<void> => {
    const { kind, namespace, name } = random.pick(living);
    const path = `${collectionOf(kind, namespace)}/${name}`;
    if (isAccepted(`edit ${name}`, await send('PATCH', path, { spec: kind.edit(random) }, merge))) state.edits += 1;
  };
  const replace = async (): Promise<void> => {
    const index = random.int(living.length);
    const { kind, namespace, name } = living[index] as Living;
    const propagationPolicy = random.pick(['Background', 'Foreground']);
    const { status } = await send('DELETE', `${collectionOf(kind, namespace)}/${name}`, { propagationPolicy });
    // Without an answer the resource may exist, and is deleted another time.
    if (status >= 300 && status !== 404) return;
    living.splice(index, 1);
    await create(kind);
  };
  const report = async (): Promise<void> => {
    const pods = (await livingPods(client, random.pick(namespaces))).filter(isUnreported);
    for (const pod of pods.slice(0, REPORTS)) await reportPod(client, pod, random.chance(0.05) ? 'Failed' : 'Running');
  };
  const disturb = async (): Promise<void> => {
    const pods = await livingPods(client, random.pick(namespaces));
    if (pods.length === 0) return;
    const pod = random.pick(pods);
    if (random.chance(0.3)) await reportPod(client, pod, 'Failed');
    else await send('DELETE', `/api/v1/namespaces/${pod.metadata?.namespace}/pods/${pod.metadata?.name}`);
  };
  const actions = [
    [75, edit],
    [10, replace],
    [5, report],
    [10, disturb],
  ] as const;
  return {
    namespaces,
    requests: () => state.requests,
    edits: () => state.edits,
    createAll: async () => {
      const wanted = soakKinds.flatMap((kind) =>
        Array.from({ length: Math.ceil((count * kind.percent) / 100) }, () => kind),
      );
      await inFlight(wanted, create);
      state.total = living.length;
    },
    createMissing: async () => {
      while (living.length < state.total) await create(random.pick(soakKinds));
    },
    keepChanging: () => {
      const over = new AbortController();
      const run = async (): Promise<void> => {
        while (!over.signal.aborted) {
          // The API server may be down. A mistake of the driver is a failure.
          await random
            .weighted(actions)()
            .catch((error: unknown) => {
              if (error instanceof TypeError) throw error;
            });
          await sleep(PAUSE_MS);
        }
      };
      const running = run();
      running.catch(() => undefined);
      return async () => {
        over.abort();
        await running;
      };
    },
  };
};
