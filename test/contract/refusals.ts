import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '#test/control-plane/poll.ts';

/** A server, and the token of a cluster administrator. */
export interface Reached {
  readonly url: string;
  /** CA certificate in PEM. */
  readonly ca: string;
  readonly token: string;
}

interface Ask {
  readonly method?: string;
  readonly body?: object;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly message?: string;
  readonly status?: { readonly token?: string; readonly allowed?: boolean; readonly reason?: string };
}

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const ASKER = 'User "system:serviceaccount:default:asker"';
const IN_DEFAULT = 'in API group "" in the namespace "default"';

const by = (selector: string): string => `${CONFIG_MAPS}?fieldSelector=${encodeURIComponent(selector)}`;

/** Tests which requests of which user a server refuses, and the exact messages. */
export const describeRefusals = (server: string, reach: () => Reached): void => {
  const send = async (path: string, { method = 'GET', body, token, headers }: Ask = {}): Promise<[number, Answer]> => {
    const { url, ca, token: admin } = reach();
    const authorization = `Bearer ${token ?? admin}`;
    const sent = request(`${url}${path}`, {
      method,
      ca,
      agent: false,
      headers: { authorization, 'content-type': 'application/json', ...headers },
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return [response.statusCode ?? 0, JSON.parse(await text(response)) as Answer];
  };
  const post = async (path: string, body: object): Promise<Answer> => {
    const [code, answer] = await send(path, { method: 'POST', body });
    if (code !== 201) throw new Error(`POST ${path}: ${code} ${answer.message}`);
    return answer;
  };
  const tokenWith = async (spec: object): Promise<string> =>
    (await post(`${ACCOUNTS}/asker/token`, { spec })).status?.token ?? '';
  const refusal = async (path: string, ask: Ask): Promise<string> => {
    const [code, { message = '' }] = await send(path, ask);
    return `${code} ${message}`.trim();
  };
  let token = '';
  const as = (headers: Readonly<Record<string, string>>, bearer?: string): Promise<string> =>
    refusal(`${CONFIG_MAPS}/a`, { headers, ...(bearer !== undefined && { token: bearer }) });

  const review = async (spec: object): Promise<Answer> => {
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    return (await send(path, { method: 'POST', body: { spec }, token }))[1];
  };

  describe(`refusals of ${server}`, () => {
    beforeAll(async () => {
      const metadata = { name: 'asker' };
      await post(ACCOUNTS, { metadata });
      const rules = [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['a'], verbs: ['*'] }];
      await post(`${RBAC}/namespaces/default/roles`, { metadata, rules });
      const subjects = [{ kind: 'ServiceAccount', name: 'asker', namespace: 'default' }];
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'asker' };
      await post(`${RBAC}/namespaces/default/rolebindings`, { metadata, subjects, roleRef });
      token = await tokenWith({});
      // The real server's authorizer sees the binding through a watch.
      await waitFor('the role', async () => (await refusal(`${CONFIG_MAPS}/a`, { token })).startsWith('404 '));
    }, 120_000);

    it('of tokens that are for others, and of what is no token', async () => {
      expect(await refusal(CONFIG_MAPS, { token: await tokenWith({ audiences: ['vault'] }) })).toBe('401 Unauthorized');
      expect(await refusal(CONFIG_MAPS, { token: 'a.b.c' })).toBe('401 Unauthorized');
      expect(await refusal(CONFIG_MAPS, { headers: { authorization: 'Basic YTpi' } })).toBe(
        `403 configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" ${IN_DEFAULT}`,
      );
    });

    it('of what a right to one name does not reach', async () => {
      expect(await refusal(by('metadata.name=a'), { token })).toBe('200');
      expect(await refusal(by('metadata.name=b'), { token })).toBe(
        `403 configmaps "b" is forbidden: ${ASKER} cannot list resource "configmaps" ${IN_DEFAULT}`,
      );
      expect(await refusal(by('metadata.name=a'), { method: 'DELETE', token })).toBe(
        `403 configmaps is forbidden: ${ASKER} cannot deletecollection resource "configmaps" ${IN_DEFAULT}`,
      );
    });

    it('of impersonation', async () => {
      const other = { 'impersonate-user': 'system:serviceaccount:default:other' };
      expect(await as({ 'impersonate-user': 'eve' }, token)).toBe(
        `403 users.authentication.k8s.io "eve" is forbidden: ${ASKER} cannot impersonate:user-info resource "users" in API group "authentication.k8s.io" at the cluster scope`,
      );
      expect(await as({ ...other, 'impersonate-group': 'x' }, token)).toBe(
        `403 serviceaccounts "other" is forbidden: ${ASKER} cannot impersonate resource "serviceaccounts" ${IN_DEFAULT}`,
      );
      expect(await as({ 'impersonate-extra-a%2fb': 'c', 'impersonate-uid': '1' })).toBe(
        '400 requested &user.DefaultInfo{Name:"", UID:"1", Groups:[]string(nil), Extra:map[string][]string{"a/b":[]string{"c"}}} without impersonating a user name',
      );
      expect(await as({ 'impersonate-user': 'eve' })).toBe(
        `403 configmaps "a" is forbidden: User "eve" cannot get resource "configmaps" ${IN_DEFAULT}`,
      );
    });

    it('names the binding that allows a request', async () => {
      const resourceAttributes = { verb: 'get', resource: 'configmaps', name: 'a', namespace: 'default' };
      expect((await review({ resourceAttributes })).status).toEqual({
        allowed: true,
        reason: 'RBAC: allowed by RoleBinding "asker/default" of Role "asker" to ServiceAccount "asker/default"',
      });
      expect((await review({})).message).toBe(
        '.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
      );
    });
  });
};
