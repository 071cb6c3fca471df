import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { applyConfiguration } from '#lib/apiserver/apply/apply-configuration.ts';
import { revertTimestamps } from '#lib/apiserver/apply/revert-timestamps.ts';
import { scaleSchema, toParentManagers, toScaleManagers } from '#lib/apiserver/apply/scale-managers.ts';
import { trackUpdatedFields } from '#lib/apiserver/apply/track-update.ts';
import { openApiSchema } from '#lib/apiserver/builtin/codec/openapi.ts';
import { StatusError } from '#lib/apiserver/machinery/status.ts';
import { frozenThing, type Thing } from './thing.ts';
import { thingResets, thingSchema, thingVersion } from './thing-schema.ts';

/** A write and the answer of kube-apiserver v1.36.4. `next` is the decoded body; without it, the answer. */
interface Step {
  readonly sequence: string;
  readonly kind: 'thing' | 'configmap' | 'deployment';
  readonly verb: 'update' | 'apply' | 'scale';
  readonly by: string;
  readonly version?: string;
  readonly sub?: 'status';
  readonly force?: boolean;
  /** Seconds after the start. */
  readonly at: number;
  readonly next?: Thing;
  readonly config?: Thing;
  readonly patch?: { readonly spec: { readonly replicas: number } };
  readonly answer: Answer;
}

interface Answer {
  readonly error?: { readonly code: number; readonly message: string; readonly causes: readonly unknown[] };
  readonly object?: Thing;
  readonly owners?: readonly (readonly [who: string, fields: string])[];
  /** Whether the write changed nothing. */
  readonly same?: boolean;
}

const kinds = {
  thing: { kind: 'Thing', apiVersion: thingVersion, schema: thingSchema, resets: thingResets },
  configmap: {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    schema: openApiSchema('core.v1.ConfigMap'),
    resets: { '': [], status: [], scale: [] },
    empty: { metadata: {} },
  },
  deployment: {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    schema: openApiSchema('apps.v1.Deployment'),
    resets: { '': [['status']], status: [['spec'], ['metadata', 'labels']], scale: [] },
    empty: {
      metadata: {},
      spec: { selector: null, template: { metadata: {}, spec: { containers: null } }, strategy: {} },
      status: {},
    },
  },
} as const;

const text = readFileSync(new URL('recorded.jsonl', import.meta.url), 'utf8');
const steps = text
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Step);
const sequences = Map.groupBy(steps, ({ sequence }) => sequence);

const entryPattern =
  /^(?<operation>\S+) (?<manager>[^/ ]+)(?:\/(?<subresource>\S+))? (?<apiVersion>\S+?)(?: (?<time>\S+Z))?$/;

const entriesOf = ({ owners = [] }: Answer): unknown[] =>
  owners.map(([who, fields]) => ({
    ...entryPattern.exec(who)?.groups,
    fieldsType: 'FieldsV1',
    fieldsV1: JSON.parse(fields) as unknown,
  }));

const storedOf = (answer: Answer): Thing | undefined =>
  answer.object &&
  frozenThing({
    ...answer.object,
    metadata: { ...answer.object.metadata, uid: 'u', managedFields: entriesOf(answer) },
  });

const ownersOf = ({ metadata }: Thing): unknown =>
  (metadata.managedFields ?? []).map(({ manager, operation, apiVersion, time, subresource, fieldsV1 }) => [
    `${operation} ${manager}${subresource ? `/${subresource}` : ''} ${apiVersion}${time ? ` ${time}` : ''}`,
    JSON.stringify(fieldsV1),
  ]);

/** Completes an applied object as the server does: adds defaults, and removes what Go's types omit. */
const completed = (object: Thing): Thing => {
  const { uid: _uid, managedFields: _managedFields, ...metadata } = object.metadata;
  const copy = structuredClone({ ...object, metadata }) as unknown as Record<string, Record<string, unknown>>;
  for (const map of [copy['metadata'], copy['spec'], copy]) {
    for (const [name, value] of Object.entries(map ?? {})) {
      const isEmpty = ['labels', 'annotations', 'data'].includes(name) && Object.keys(value ?? {}).length === 0;
      if (value === null || isEmpty) delete map?.[name];
    }
  }
  for (const port of (copy['spec']?.['ports'] ?? []) as { protocol?: string }[]) port.protocol ??= 'TCP';
  return copy as unknown as Thing;
};

const timeOf = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`;

const writeOf = (step: Step, live: Thing | undefined) => {
  const { schema, resets, apiVersion, ...kind } = kinds[step.kind];
  const other = step.kind === 'thing' ? { [thingVersion]: schema, 'things.example.com/v2': schema } : {};
  return {
    ...kind,
    live: live && step.kind === 'thing' ? frozenThing({ ...live, apiVersion: step.version ?? apiVersion }) : live,
    manager: step.by,
    apiVersion: step.version ?? apiVersion,
    subresource: step.sub ?? '',
    schema,
    resetFields: resets[step.sub ?? ''],
    now: timeOf(step.at),
    otherVersions: other,
  } as const;
};

const playScale = ({ by, at, kind, version, patch }: Step, live: Thing): Thing => {
  const { apiVersion } = kinds[kind];
  const replicas = ['spec', 'replicas'];
  const paths =
    kind === 'thing' ? { [apiVersion]: replicas, 'things.example.com/v2': undefined } : { [apiVersion]: replicas };
  const { managedFields: parent } = live.metadata;
  const managedFields = toScaleManagers(parent, paths);
  const scale = (count: unknown): Thing =>
    frozenThing({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'x', uid: 'u', managedFields },
      spec: { replicas: count },
    });
  const tracked = trackUpdatedFields({
    live: scale((live['spec'] as { replicas: number }).replicas),
    next: scale(patch?.spec.replicas),
    manager: by,
    apiVersion: 'autoscaling/v1',
    subresource: 'scale',
    schema: scaleSchema,
    resetFields: [],
    now: timeOf(at),
  });
  const entries = toParentManagers({
    parent,
    scale: tracked.metadata.managedFields,
    apiVersion: version ?? apiVersion,
    paths,
  });
  return { ...live, metadata: { ...live.metadata, managedFields: entries ?? [] } };
};

const play = (step: Step, live: Thing | undefined): Thing => {
  const write = writeOf(step, live);
  if (step.verb === 'apply' && step.config) {
    return applyConfiguration({ ...write, config: frozenThing(step.config), force: step.force ?? false });
  }
  if (step.verb === 'scale' && live) return playScale(step, live);
  const next = step.next ?? step.answer.object;
  const { metadata } = next as Thing;
  return trackUpdatedFields({
    ...write,
    next: frozenThing({ ...next, metadata: { ...metadata, ...(live && { uid: 'u' }) } }),
  });
};

const outcomeOf = (step: Step, live: Thing | undefined): Answer => {
  try {
    const object = play(step, live);
    const owned = { ...(step.verb === 'apply' && { object: completed(object) }) };
    const prepared = { ...completed(object), metadata: object.metadata };
    if (live && step.answer.same === true && revertTimestamps({ ...prepared, status: live['status'] }, live) === live) {
      return { ...owned, owners: ownersOf(live) as never, same: true };
    }
    return { ...owned, owners: ownersOf(object) as never };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { code = 0, reason, message = '', details } = error.status;
    return { error: { code, ...(reason !== undefined && { reason }), message, causes: details?.causes ?? [] } };
  }
};

/** The real server lists type errors, and managers of conflicts, in random order. */
const inOrder = (answer: Answer): unknown => {
  const { error } = answer;
  if (error === undefined) return answer;
  return {
    ...error,
    message: error.message.split('\n').toSorted(),
    causes: error.causes.map((cause) => JSON.stringify(cause)).toSorted(),
  };
};

const expectedOf = ({ verb, answer }: Step): Answer => {
  if (answer.error !== undefined || answer.object === undefined) return answer;
  const { object, ...rest } = answer;
  return verb === 'apply' ? { ...rest, object: completed(object) } : rest;
};

const liveBefore = (sequence: readonly Step[], index: number): Thing | undefined => {
  const last = sequence.slice(0, index).findLast(({ answer }) => answer.object !== undefined);
  return last && storedOf(last.answer);
};

describe('what kube-apiserver answered', () => {
  for (const [name, sequence] of sequences) {
    it(`trackUpdate() and applyConfiguration() give the same owners, objects and errors in the sequence ${name}`, () => {
      const outcomes = sequence.map((step, index) => inOrder(outcomeOf(step, liveBefore(sequence, index))));
      expect(outcomes).toEqual(sequence.map((step) => inOrder(expectedOf(step))));
    });
  }
});
