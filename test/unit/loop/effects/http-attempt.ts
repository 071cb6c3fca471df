import type { EffectHosts } from '#lib/desired/hosts/effect-hosts.ts';
import type { ApiObject, KubeApi } from '#lib/kube/interface/api.ts';
import type { HttpAnswer, HttpRequest } from '#lib/kube/interface/http.ts';
import { type HttpEffect, performHttp } from '#lib/loop/effects/http.ts';

export const TOKEN = 'Bearer s3cr3t-t0ken';
export const HOOK = 'https://hooks.example.com/services/s3cr3t-path';

export const secretOf = (
  rest: object = {},
  annotations: object = { 'cdk8s-reconcile/allowed-hosts': 'api.example.com, hooks.example.com' },
) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'secret', namespace: 'home', uid: 'u', resourceVersion: '1', annotations },
  type: 'cdk8s-reconcile/http-credentials',
  data: {
    authorization: Buffer.from(`${TOKEN}\n`).toString('base64'),
    hook: Buffer.from(HOOK).toString('base64'),
    broken: Buffer.from('x\r\ny: z').toString('base64'),
    binary: Buffer.from([0xff, 0xfe]).toString('base64'),
  },
  ...rest,
});

export interface Situation {
  readonly request?: Partial<HttpEffect['request']>;
  readonly allowedHosts?: readonly string[];
  readonly hosts?: EffectHosts;
  readonly purpose?: 'metric';
  readonly secret?: object | Error;
  readonly answers?: readonly (HttpAnswer | Error)[];
  readonly namespace?: string;
}

export const ok = { status: 200, body: 'ok' };

/** One attempt, and all requests of it. */
export const attempt = async ({
  request,
  allowedHosts,
  hosts,
  purpose,
  secret = secretOf(),
  answers = [ok],
  namespace = 'home',
}: Situation) => {
  const requests: HttpRequest[] = [];
  const secrets: string[] = [];
  const api = {
    get: async ({ plural }: { plural: string }, target: { namespace?: string; name: string }) => {
      secrets.push(`${plural} ${target.namespace}/${target.name}`);
      if (secret instanceof Error) throw secret;
      return secret as ApiObject;
    },
  } as unknown as KubeApi;
  const perform = async (sent: HttpRequest): Promise<HttpAnswer> => {
    requests.push(sent);
    const answer = answers[requests.length - 1] ?? ok;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const effect: HttpEffect = {
    effect: 'http',
    ...(purpose && { purpose }),
    key: 'k',
    request: { method: 'GET', url: 'https://api.example.com/x?y=1', ...request },
    timeoutSeconds: 1,
    retries: 0,
  };
  const all = { allowedHosts: allowedHosts ?? ['api.example.com', 'hooks.example.com'] };
  const options = { api, perform, ...(hosts ?? all) };
  const result = await performHttp(
    options,
    { namespace, uid: 'uid-1' },
    { effect, signal: new AbortController().signal },
  );
  return { result, requests, secrets, urls: requests.map(({ url }) => url.href) };
};
