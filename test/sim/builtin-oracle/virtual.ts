import { builtinKinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import { invalid } from '#lib/apiserver/machinery/field-error.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServedKind, ServedVersion, ServerView } from '#lib/apiserver/machinery/served-kind.ts';
import { badRequest, StatusError } from '#lib/apiserver/machinery/status.ts';
import type { JsonObject } from '#lib/json.ts';
import { type Answer, type Case, caseNamespace } from '#test/sim/builtin-oracle/case.ts';
import { merge } from '#test/sim/builtin-oracle/merge.ts';
import { normalize } from '#test/sim/builtin-oracle/normalize.ts';

/** Everything that is stored, by plural and name. */
type Store = Map<string, ServerObject>;

const now = Date.UTC(2026, 0, 1);

const viewOf = (store: Store): ServerView => ({
  objects: ({ plural }) => [...store].filter(([key]) => key.startsWith(`${plural}/`)).map(([, object]) => object),
  now: () => now,
});

const kindNamed = (name: string): { readonly kind: ServedKind; readonly version: ServedVersion } => {
  const kind = builtinKinds.find((candidate) => candidate.kind === name);
  const [version] = kind?.versions ?? [];
  if (kind === undefined || version === undefined) throw new Error(`Cannot find the kind "${name}"`);
  return { kind, version };
};

const freeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
};

const decode = ({ kind, version }: ReturnType<typeof kindNamed>, body: JsonObject, isStrict: boolean): ServerObject => {
  const { object, unknownFields } = kind.strategy.decode(freeze(body), version);
  if (isStrict && unknownFields.length > 0) {
    const list = unknownFields.map((field) => `unknown field "${field}"`).join(', ');
    const { name } = kind.versions[0] ?? { name: '' };
    throw badRequest(
      `${kind.kind} in version "${name}" cannot be handled as a ${kind.kind}: strict decoding error: ${list}`,
    );
  }
  return freeze(kind.strategy.setDefaults(freeze(object) as ServerObject, version));
};

const refuse = (kind: ServedKind, object: ServerObject, errors: Parameters<typeof invalid>[1]): void => {
  if (errors.length === 0) return;
  throw invalid({ group: kind.group, kind: kind.kind, name: object.metadata.name ?? '' }, errors);
};

const keyOf = ({ plural }: ServedKind, { metadata }: ServerObject): string => `${plural}/${metadata.name}`;

/** Adds the fields that the registry sets before the hooks see a new object. */
const withSystemFields = (object: ServerObject, { scope }: ServedKind): ServerObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    ...(scope === 'Namespaced' && { namespace: caseNamespace }),
    uid: '00000000-0000-0000-0000-000000000000',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
});

const create = (
  store: Store,
  name: string,
  { body, isStrict }: { body: JsonObject; isStrict: boolean },
): ServerObject => {
  const served = kindNamed(name);
  const { kind, version } = served;
  const { strategy } = kind;
  const decoded = withSystemFields(decode(served, body, isStrict), kind);
  const about = { operation: 'create', subresource: '' } as const;
  const mutated = freeze(strategy.mutate?.({ ...about, object: freeze(decoded) }, viewOf(store)) ?? decoded);
  const object = freeze(strategy.prepareForCreate(mutated, version));
  refuse(kind, object, strategy.validateCreate(object, version));
  strategy.admit?.({ ...about, object }, viewOf(store));
  const stored = { ...object, metadata: { ...object.metadata, resourceVersion: '1' } };
  store.set(keyOf(kind, stored), freeze(stored));
  return stored;
};

const update = (store: Store, name: string, { body, subresource }: Written): ServerObject => {
  const served = kindNamed(name);
  const { kind, version } = served;
  const { strategy } = kind;
  const decoded = decode(served, body, false);
  const old = store.get(keyOf(kind, decoded));
  if (old === undefined) throw new Error(`Cannot update "${decoded.metadata.name}": there is none`);
  const about = { operation: 'update', subresource, old } as const;
  const where = { subresource, version };
  // As rest.BeforeUpdate does: only the server sets the generation.
  const { generation } = old.metadata;
  const resourceVersion = decoded.metadata.resourceVersion ?? old.metadata.resourceVersion;
  const metadata = { ...decoded.metadata, resourceVersion, ...(generation !== undefined && { generation }) };
  const kept = { ...decoded, metadata };
  const mutated = freeze(strategy.mutate?.({ ...about, object: freeze(kept) }, viewOf(store)) ?? kept);
  const object = freeze(strategy.prepareForUpdate(mutated, old, where));
  refuse(kind, object, strategy.validateUpdate(object, old, where));
  strategy.admit?.({ ...about, object }, viewOf(store));
  store.set(keyOf(kind, object), object);
  return object;
};

interface Written {
  readonly body: JsonObject;
  readonly subresource: '' | 'status';
}

const answer = (code: number, act: () => ServerObject): Answer => {
  try {
    return { code, body: act() };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { code: error.status.code ?? 0, body: error.status as unknown as JsonObject };
  }
};

const apiVersionOf = ({ group, storageVersion }: ServedKind): string =>
  group === '' ? storageVersion : `${group}/${storageVersion}`;

const complete = (name: string, body: JsonObject): JsonObject => ({
  apiVersion: apiVersionOf(kindNamed(name).kind),
  kind: name,
  ...body,
});

/** Runs a case through the hooks of the strategies, in the order in which the server calls them. */
export const virtualAnswersOf = ({
  kind,
  object,
  changes = [],
  before = [],
  isStrict = false,
}: Case): readonly Answer[] => {
  const store: Store = new Map();
  for (const other of before) {
    const { status, ...rest } = other;
    const created = create(store, other.kind, { body: complete(other.kind, rest), isStrict: false });
    if (status === undefined) continue;
    update(store, other.kind, { body: merge(created, { status }), subresource: 'status' });
  }
  const answers = [answer(201, () => create(store, kind, { body: complete(kind, object), isStrict }))];
  let [current] = answers;
  for (const { merge: patch, subresource = '' } of changes) {
    if (current === undefined || current.body['kind'] === 'Status') break;
    const body = merge(current.body, patch);
    const next = answer(200, () => update(store, kind, { body, subresource }));
    answers.push(next);
    if (next.code === 200) current = next;
  }
  return answers.map(normalize);
};
