import { kinds } from '#apps/kinds.ts';
import { isPlainObject } from '#lib/json.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { namesOf } from '#lib/kind/names.ts';
import { createClusterServer } from '#lib/sim/cluster.ts';
import { describeJudge, type Judge } from '#test/contract/bad-input/judge.ts';

const server = createClusterServer(() => Date.UTC(2026, 0, 1));
const definitions = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
for (const kind of kinds) server.handle({ verb: 'create', resource: definitions, body: compileCrd(kind) });

const resourceOf = (kindName: string) => {
  const definition = kinds.find(({ kind }) => kind === kindName);
  if (definition === undefined) throw new Error(`no kind ${kindName}`);
  return { group: definition.group, version: definition.version, plural: namesOf(definition).plural };
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const causesIn = (details: unknown): readonly unknown[] =>
  isPlainObject(details) && Array.isArray(details['causes']) ? details['causes'] : [];

const judge: Judge = ({ kind, verb, name, subresource, body, dryRun, fieldValidation }) => {
  const { code, body: answer } = server.handle({
    verb,
    resource: resourceOf(kind),
    namespace: 'default',
    ...(verb !== 'create' && { name }),
    ...(subresource && { subresource }),
    ...(verb === 'patch' && { patchType: 'merge' }),
    ...(body && { body }),
    options: { dryRun, ...(verb !== 'delete' && { fieldValidation }) },
  });
  const fields = causesIn(answer['details']).map((cause) => (isPlainObject(cause) ? textOf(cause['field']) : ''));
  return Promise.resolve({ code, message: code < 400 ? '' : textOf(answer['message']), fields });
};

describeJudge('the virtual API server', judge);
