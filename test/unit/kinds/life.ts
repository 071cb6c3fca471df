import * as fc from 'fast-check';
import { evaluateRules } from '#constructs/evaluate-rules.ts';
import { instantOf } from '#lib/desired/clock.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Refusal } from '#lib/desired/observation.ts';
import type { Situation } from '#lib/desired/observe/observation-of.ts';
import type { ChildIntent } from '#lib/desired/result/intent.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { readSchema } from '#lib/kind/json-schema/json-schema.ts';
import { validFor } from './valid-arbitrary.ts';

/** One pass: the spec, the time, and the events of the children afterwards. */
export interface Round {
  readonly spec: JsonObject;
  readonly secondsLater: number;
  readonly annotations: Readonly<Record<string, string>>;
  readonly refusals: readonly Refusal['reason'][];
  /** One number for each child, used cyclically, which selects the event of the child. */
  readonly fates: readonly number[];
}

const named = (spec: unknown) => ({ metadata: { name: 'web' }, spec });

/** Removes the fields that rules report, as long as that helps. */
const repaired = (definition: AnyKindDefinition, spec: JsonObject, tries = 6): JsonObject | undefined => {
  const [issue] = evaluateRules(definition, named(spec));
  if (issue === undefined) return spec;
  const [, field = ''] = /^spec\.(\w+)/.exec(issue.path) ?? [];
  if (tries === 0 || !Object.hasOwn(spec, field)) return undefined;
  const { [field]: _, ...rest } = spec;
  return repaired(definition, rest, tries - 1);
};

const specs = (definition: AnyKindDefinition): fc.Arbitrary<JsonObject> =>
  validFor(readSchema({ ...definition.spec }))
    .map((spec) => (isPlainObject(spec) ? repaired(definition, spec) : undefined))
    .filter((spec) => spec !== undefined)
    .map((spec) => spec ?? {});

const verbs = ['promote', 'promote-full', 'abort', 'retry', 'skip', 'dance'];
const annotations = (group: string) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constant({ [`${group}/command`]: '{' }) },
    {
      weight: 2,
      arbitrary: fc
        .record({ id: fc.constantFrom('1', '2'), verb: fc.constantFrom(...verbs) })
        .map((command) => ({ [`${group}/command`]: JSON.stringify(command) })),
    },
  );

/** Some passes over a resource of a kind, whose spec is edited at most once. */
export const lives = (definition: AnyKindDefinition): fc.Arbitrary<readonly Round[]> => {
  const round: fc.Arbitrary<Omit<Round, 'spec'> & { readonly isEdited: boolean }> = fc.record({
    isEdited: fc.boolean(),
    secondsLater: fc.constantFrom(0, 1, 30, 601, 100_000),
    annotations: annotations(definition.group),
    refusals: fc.array(fc.constantFrom<Refusal['reason'][]>('QuotaExceeded', 'NameConflict', 'Invalid'), {
      maxLength: 1,
    }),
    fates: fc.array(fc.nat({ max: 23 }), { minLength: 1, maxLength: 6 }),
  });
  return fc
    .tuple(fc.array(round, { minLength: 2, maxLength: 6 }), specs(definition), specs(definition))
    .map(([rounds, before, after]) =>
      rounds.map((one, at) => ({
        ...one,
        spec: rounds.slice(0, at).some(({ isEdited }) => isEdited) ? after : before,
      })),
    );
};

const START_MICROS = Date.UTC(2026, 0, 1) * 1000;

const pods = (fate: number) => ({
  status: {
    phase: ['Pending', 'Running', 'Running', 'Running', 'Failed', 'Succeeded'][fate % 6],
    conditions: [
      { type: 'Ready', status: fate % 4 === 0 ? 'False' : 'True', lastTransitionTime: '2026-01-01T00:00:10Z' },
    ],
    containerStatuses: [{ name: 'web', image: '', imageID: '', ready: fate % 4 !== 0, restartCount: fate }],
  },
});

const deployments = (fate: number, object: KubeObject) => {
  const { spec = {} } = object as { spec?: { replicas?: number } };
  const replicas = Math.max(0, (spec.replicas ?? 0) - (fate % 3));
  const observedGeneration = fate % 5 === 0 ? 0 : 1;
  return {
    status: {
      observedGeneration,
      replicas,
      updatedReplicas: replicas,
      readyReplicas: replicas,
      availableReplicas: fate % 2 === 0 ? replicas : 0,
    },
  };
};

const statusOf = (object: KubeObject, fate: number): object => {
  if (object.kind === 'Pod') return pods(fate);
  return object.kind === 'Deployment' ? deployments(fate, object) : {};
};

const isGone = ({ verb }: ChildIntent, fate: number): boolean =>
  verb === 'release' || (verb === 'remove' && fate % 2 === 0);

const born = ({ verb, object }: ChildIntent, at: number, atMicros: number): KubeObject => ({
  ...object,
  metadata: {
    namespace: 'default',
    uid: `uid-${object.metadata?.name}`,
    resourceVersion: String(at + 1),
    generation: 1,
    creationTimestamp: instantOf(atMicros),
    ...object.metadata,
    ...(verb === 'remove' && { deletionTimestamp: instantOf(atMicros), deletionGracePeriodSeconds: 30 }),
  },
});

/** The children after a pass: some intents are carried out, and some children change by themselves. */
export const childrenAfter = (
  intents: readonly ChildIntent[],
  { fates }: Round,
  atMicros: number,
): readonly KubeObject[] =>
  intents.flatMap((intent, at) => {
    const fate = fates[at % fates.length] ?? 0;
    if (isGone(intent, fate) || fate === 23) return [];
    const child = born(intent, at, atMicros);
    return [{ ...structuredClone(child), ...statusOf(child, fate) }];
  });

/** The input of a pass after earlier passes. */
export const situationOf = (
  { annotations: given, refusals, spec }: Round,
  past: { readonly micros: number; readonly status?: object; readonly children: readonly KubeObject[] },
): Situation<never, never> => {
  const { micros, status, children } = past;
  const now = instantOf(micros);
  const refused = refusals.map((reason): Refusal => {
    const [child] = children;
    return {
      verb: 'create',
      kind: child?.kind ?? 'Pod',
      name: child?.metadata?.name ?? 'web',
      reason,
      attempts: 1,
      at: now,
    };
  });
  const metadata = { name: 'web', annotations: given, creationTimestamp: instantOf(START_MICROS) };
  return { metadata, spec, children, refused, now, ...(status && { status }) } as unknown as Situation<never, never>;
};

/** The start time of all lives, in microseconds. */
export const startMicros = START_MICROS;
