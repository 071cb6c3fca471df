import type { JsonObject } from '#lib/json.ts';
import { type Choice, keyOf } from './choice.ts';
import { metadataFaults, metadataVariants } from './generate-metadata.ts';
import { apiVersionOf, type KindUnderTest } from './kinds/kind-under-test.ts';
import { mergeJson } from './merge.ts';
import type { Random } from './random.ts';

const FAULTY = 0.13;
const KEEPS_NULLS = 0.15;

interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The members that identify a kind in bodies. */
export const identityOf = ({ resource, kind }: Pick<KindUnderTest, 'resource' | 'kind'>): Identity => ({
  apiVersion: apiVersionOf(resource),
  kind,
});

/** Makes bodies of requests. */
export interface Bodies {
  readonly whole: (choice: Choice, options?: { readonly isCreation?: boolean }) => JsonObject;
  readonly forUpdate: (choice: Choice) => JsonObject;
  readonly forStatusUpdate: (choice: Choice) => JsonObject;
  readonly mergePatch: (choice: Choice, isStatus: boolean) => JsonObject;
  readonly applied: (choice: Choice, isStatus: boolean) => JsonObject;
}

const mergeAll = (patches: readonly JsonObject[], keepsNulls: boolean): JsonObject =>
  patches.reduce((merged, patch) => mergeJson(merged, patch, keepsNulls), {});

const patchesOf = (choice: Choice, most: number): readonly JsonObject[] => {
  const { random, subject, id } = choice;
  const metadata = metadataVariants(keyOf(choice), subject.namespaced);
  // Later steps use the objects of the first ones, which are therefore valid.
  const isFaulty = id > 1 && random.chance(FAULTY);
  return [
    ...random.some(subject.variants, most),
    ...random.some(metadata, 1),
    ...(isFaulty && random.chance(0.7) ? [random.pick(subject.faults)] : []),
    ...(isFaulty && random.chance(0.5) ? [random.pick(metadataFaults(keyOf(choice)))] : []),
  ];
};

const statusPatch = ({ random, subject }: Choice): JsonObject => ({
  status: mergeAll(random.some(subject.statuses ?? [{ phase: 'Any' }], 2), false),
});

/** Replaces kind or version of a body by another one, rarely. */
const disturb = (body: JsonObject, random: Random): JsonObject => {
  if (!random.chance(0.02)) return body;
  const { kind: _, apiVersion: __, ...nameless } = body;
  return random.pick([{ ...body, kind: 'Other' }, { ...body, apiVersion: 'other.example.com/v1' }, nameless]);
};

const ownMetadata = ({ random, name, where, subject }: Choice): JsonObject => ({
  name: random.chance(0.98) ? name : random.pick([`${name}-other`, 'Not_A_Name', '']),
  ...(random.chance(0.3) && where.namespace !== undefined && { namespace: where.namespace }),
  ...(random.chance(0.01) && subject.namespaced && { namespace: 'elsewhere' }),
  ...(!subject.namespaced && { labels: { sequence: '<ns>' } }),
});

const versionOf = (choice: Choice): JsonObject => {
  const { random } = choice;
  const key = keyOf(choice);
  return random.weighted<JsonObject>([
    [5, {}],
    [4, { resourceVersion: `<rv ${key} last>` }],
    [2, { resourceVersion: `<rv ${key} first>` }],
    [0.4, { resourceVersion: 'x' }],
    [0.4, { resourceVersion: '0' }],
    [0.6, { uid: `<uid ${key} first>` }],
    [0.3, { uid: '11111111-2222-3333-4444-555555555555' }],
  ]);
};

const onBase = (choice: Choice, overlay: JsonObject): JsonObject => ({ $base: keyOf(choice), ...overlay });

/** Bodies of one kind and version. */
export const createBodies = (identity: Identity): Bodies => {
  const whole: Bodies['whole'] = (choice) => {
    const { random, subject } = choice;
    const patches = [subject.base, ...patchesOf(choice, 4), ...(random.chance(0.1) ? [statusPatch(choice)] : [])];
    const members = mergeAll(patches, random.chance(KEEPS_NULLS));
    return disturb(mergeJson({ ...identity, metadata: ownMetadata(choice) }, members, true), random);
  };
  return {
    whole,
    forUpdate: (choice) => {
      const { random } = choice;
      const version = { metadata: versionOf(choice) };
      if (random.chance(0.55)) return onBase(choice, mergeAll([...patchesOf(choice, 2), version], false));
      return mergeJson(whole(choice), version);
    },
    forStatusUpdate: (choice) => {
      const overlay = mergeJson(statusPatch(choice), { metadata: versionOf(choice) });
      const extra = choice.random.chance(0.2) ? mergeAll(patchesOf(choice, 1), false) : {};
      if (choice.random.chance(0.6)) return onBase(choice, mergeJson(overlay, extra));
      return mergeJson(mergeJson(whole(choice), extra), overlay);
    },
    mergePatch: (choice, isStatus) => {
      const { random } = choice;
      const version = random.chance(0.25) ? { metadata: versionOf(choice) } : {};
      const patches = isStatus
        ? [statusPatch(choice), ...(random.chance(0.2) ? patchesOf(choice, 1) : [])]
        : patchesOf(choice, 3);
      return mergeAll([...patches, version], true);
    },
    applied: (choice, isStatus) => {
      const { random, subject } = choice;
      const version = random.chance(0.1) ? [{ metadata: versionOf(choice) }] : [];
      const impossible = random.chance(0.03)
        ? [{ metadata: random.pick([{ resourceVersion: '1' }, { uid: '1' }]) }]
        : [];
      const patches = isStatus
        ? [statusPatch(choice)]
        : [...(random.chance(0.8) ? [subject.base] : []), ...patchesOf(choice, 4)];
      const members = mergeAll([...patches, ...version, ...impossible], random.chance(KEEPS_NULLS));
      return disturb(mergeJson({ ...identity, metadata: ownMetadata(choice) }, members, true), random);
    },
  };
};
