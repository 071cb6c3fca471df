import { builtinKinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import type { JsonObject } from '#lib/json.ts';
import type { ControlPlaneClient } from '#test/control-plane/client.ts';
import { type Answer, type Case, caseNamespace } from '#test/sim/builtin-oracle/case.ts';
import { merge } from '#test/sim/builtin-oracle/merge.ts';
import { normalize } from '#test/sim/builtin-oracle/normalize.ts';

const pathOf = (kind: string): string => {
  const served = builtinKinds.find((candidate) => candidate.kind === kind);
  if (served === undefined) throw new Error(`Cannot find the kind "${kind}"`);
  const root = served.group === '' ? '/api/v1' : `/apis/${served.group}/${served.storageVersion}`;
  return served.scope === 'Cluster'
    ? `${root}/${served.plural}`
    : `${root}/namespaces/${caseNamespace}/${served.plural}`;
};

const apiVersionOf = (kind: string): string => {
  const served = builtinKinds.find((candidate) => candidate.kind === kind);
  const { group = '', storageVersion = 'v1' } = served ?? {};
  return group === '' ? storageVersion : `${group}/${storageVersion}`;
};

/** Sends cases to the real API server, and deletes the created objects. */
export const realOracle = async ({ request }: Pick<ControlPlaneClient, 'request'>) => {
  const ask = async (method: string, path: string, body?: JsonObject): Promise<Answer> => {
    const { status, body: answer } = await request<JsonObject>(method, path, body);
    return { code: status, body: answer };
  };
  await ask('POST', '/api/v1/namespaces', { metadata: { name: caseNamespace } });
  await ask('POST', `/api/v1/namespaces/${caseNamespace}/serviceaccounts`, { metadata: { name: 'default' } });

  const create = async (kind: string, object: JsonObject, query = ''): Promise<Answer> =>
    ask('POST', `${pathOf(kind)}${query}`, { apiVersion: apiVersionOf(kind), kind, ...object });

  const write = async (kind: string, object: JsonObject, subresource?: string): Promise<Answer> => {
    const { name } = object['metadata'] as { readonly name: string };
    return ask('PUT', `${pathOf(kind)}/${name}${subresource === undefined ? '' : `/${subresource}`}`, object);
  };

  const remove = async ({ body }: Answer): Promise<void> => {
    const { kind, metadata } = body as { readonly kind: string; readonly metadata: { readonly name?: string } };
    if (kind === 'Status') return;
    const path = `${pathOf(kind)}/${metadata.name}`;
    await ask('DELETE', `${path}?gracePeriodSeconds=0`);
    const left = await request<JsonObject>('GET', path);
    if (left.status === 404) return;
    const patch = { metadata: { finalizers: null } };
    await request('PATCH', path, patch, { contentType: 'application/merge-patch+json' });
  };

  const answersOf = async ({ kind, object, changes = [], before = [], isStrict = false }: Case) => {
    const present: Answer[] = [];
    for (const other of before) {
      const created = await create(other.kind, other);
      if (created.code !== 201) throw new Error(`Cannot create "${other.kind}": ${JSON.stringify(created.body)}`);
      present.push(created);
      const { status } = other;
      if (status === undefined) continue;
      await write(other.kind, merge(created.body, { status }), 'status');
    }
    // The quota plugin reads the objects from its informer.
    if (before.length > 0) await new Promise((resolve) => setTimeout(resolve, 1500));
    const answers = [await create(kind, object, isStrict ? '?fieldValidation=Strict' : '')];
    let [current] = answers;
    for (const { merge: patch, subresource } of changes) {
      if (current === undefined || current.body['kind'] === 'Status') break;
      const answer = await write(kind, merge(current.body, patch), subresource);
      answers.push(answer);
      if (answer.code === 200) current = answer;
    }
    for (const answer of [...(current ? [current] : []), ...present]) await remove(answer);
    return answers.map(normalize);
  };
  return { answersOf };
};
