import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServedKind, ServedVersion, Strategy } from '#lib/apiserver/machinery/served-kind.ts';
import { badRequest } from '#lib/apiserver/machinery/status.ts';
import { decodeObjectMeta } from '#lib/apiserver/schema/decode-object-meta.ts';
import { isPlainObject } from '#lib/json.ts';

const KNOWN = new Set(['apiVersion', 'kind', 'metadata', 'spec', 'status', 'data']);

const withStatus = (object: ServerObject, status: unknown): ServerObject => {
  const { status: _, ...rest } = object as ServerObject & { readonly status?: unknown };
  return status === undefined ? rest : { ...rest, status };
};

const withGeneration = (object: ServerObject, generation: number): ServerObject => ({
  ...object,
  metadata: { ...object.metadata, generation },
});

/** Accepts unknown fields below known members; generation counts changes of the spec, and status is a subresource. */
const strategy: Strategy = {
  decode: (body) => {
    const meta = decodeObjectMeta(body['metadata']);
    if ('problem' in meta) throw badRequest(meta.problem);
    const members = Object.entries(body).filter(([name]) => KNOWN.has(name));
    return {
      object: { ...Object.fromEntries(members), metadata: meta.metadata },
      unknownFields: [
        ...meta.unknownFields.map((name) => `metadata.${name}`),
        ...Object.keys(body).filter((name) => !KNOWN.has(name)),
      ],
    };
  },
  setDefaults: (object) => object,
  prepareForCreate: (object, { hasStatus }) => withGeneration(hasStatus ? withStatus(object, undefined) : object, 1),
  prepareForUpdate: (object, old, { subresource }) => {
    if (subresource === 'status') return { ...withStatus(old, object['status']), metadata: object.metadata };
    const isChanged = JSON.stringify(object['spec']) !== JSON.stringify(old['spec']);
    return withGeneration(withStatus(object, old['status']), (old.metadata.generation ?? 0) + (isChanged ? 1 : 0));
  },
  validateCreate: () => [],
  validateUpdate: () => [],
  resetFields: { '': [['status']], status: [['spec']] },
  allowsUnconditionalUpdate: false,
  allowsCreateOnUpdate: false,
};

const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;

const version: ServedVersion = {
  name: 'v1',
  schema: { type: 'object', properties: { spec: free, status: free } },
  hasStatus: true,
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
};

/** A custom kind that keeps every field of its spec and its status. */
export const shelfKind: ServedKind = {
  group: 'lib.example.com',
  kind: 'Shelf',
  listKind: 'ShelfList',
  plural: 'shelves',
  scope: 'Namespaced',
  versions: [version],
  storageVersion: 'v1',
  isCustom: true,
  strategy: { ...strategy, selectableFields: ['spec.color'] },
};

/** A kind like ConfigMap: built in, without status and generation, with unconditional updates, created by PUT. */
export const boxKind: ServedKind = {
  ...shelfKind,
  group: '',
  kind: 'Box',
  listKind: 'BoxList',
  plural: 'boxes',
  isCustom: false,
  versions: [{ name: 'v1', schema: { type: 'object', properties: { data: free } }, hasStatus: false }],
  strategy: {
    ...strategy,
    prepareForCreate: (object) => object,
    prepareForUpdate: (object) => object,
    resetFields: { '': [], status: [] },
    allowsUnconditionalUpdate: true,
    allowsCreateOnUpdate: true,
  },
};

const secondsOf = (spec: unknown): number => {
  const seconds = isPlainObject(spec) ? spec['seconds'] : 0;
  return typeof seconds === 'number' ? seconds : 0;
};

/** A kind whose deletion takes `spec.seconds`, as that of a Pod takes its grace period. */
export const lampKind: ServedKind = {
  ...shelfKind,
  group: '',
  kind: 'Lamp',
  listKind: 'LampList',
  plural: 'lamps',
  isCustom: false,
  strategy: {
    ...strategy,
    gracePeriodSeconds: (object, requested) => requested ?? secondsOf(object['spec']),
    returnsDeletedObject: true,
  },
};
