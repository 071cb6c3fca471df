import { s } from '#lib/kind/schema/schema.ts';
import type { KindShape, VersionShape } from '#lib/kind/shape.ts';
import { between } from '#lib/kind/versions/between.ts';

/** Group and kind of the cases. */
export const identity = { group: 'demo.example.com', kind: 'Note' } as const;
const status = s.object({ length: s.int32() });
const text = s.string({ maxLength: 9 });

const version = (name: string, spec: VersionShape['spec'], more: object = {}): VersionShape => ({
  version: name,
  spec,
  status,
  ...more,
});

/** The oldest version. */
export const v1alpha1 = version('v1alpha1', s.object({ text, color: s.optional(s.enum(['Red'])) }));
/** Adds a colour. */
export const v1beta1 = version('v1beta1', s.object({ text, color: s.optional(s.enum(['Red', 'Blue'])) }));
/** A version with the same schema as {@link v1beta1}. */
export const v1 = version('v1', s.object({ text, color: s.optional(s.enum(['Red', 'Blue'])) }));
/** Adds a field. */
export const larger = version(
  'v1',
  s.object({ text, color: s.optional(s.enum(['Red', 'Blue'])), size: s.optional(s.int32()) }),
);
const keep = { up: (content: never) => content, down: (content: never) => content };

/** A kind of several versions, and its findings: `code at path`. */
interface VersionsCase {
  readonly when: string;
  readonly shape: KindShape;
  readonly found: readonly string[];
}

/** At least one case for each rule about versions. */
export const VERSIONS_CASES: readonly VersionsCase[] = [
  {
    when: 'all versions have the same fields',
    shape: { ...identity, ...v1, versions: [between(v1alpha1, v1beta1), between(v1beta1, v1)] },
    found: [],
  },
  {
    when: 'it is stored in the oldest version',
    shape: { ...identity, ...v1alpha1, versions: [between(v1alpha1, v1beta1)] },
    found: [],
  },
  {
    when: 'only the newer version has a field',
    shape: { ...identity, ...larger, versions: [between(v1beta1, larger)] },
    found: ['version-conversion at versions[0] spec.size'],
  },
  {
    when: 'only the older version has a field',
    shape: { ...identity, ...larger, versions: [between(larger, v1beta1)] },
    found: ['version-conversion at versions[0] spec.size'],
  },
  {
    when: 'the newer version refuses what the older one accepts',
    shape: { ...identity, ...v1alpha1, versions: [between(v1beta1, v1alpha1)] },
    found: ['version-conversion at versions[0] spec.color'],
  },
  {
    when: 'a step begins elsewhere than the one before it ends',
    shape: { ...identity, ...v1, versions: [between(v1alpha1, v1beta1), between(version('v2', v1.spec), v1)] },
    found: ['version-chain at versions[1]'],
  },
  {
    when: 'a step begins with another schema of the version where the one before it ends',
    shape: {
      ...identity,
      ...v1,
      versions: [between(v1alpha1, v1beta1), between({ ...v1alpha1, version: 'v1beta1' }, v1)],
    },
    found: ['version-chain at versions[1]'],
  },
  {
    when: 'it goes round in a circle',
    shape: { ...identity, ...v1beta1, versions: [between(v1beta1, v1), between(v1, v1beta1)] },
    found: ['version-chain at versions[1]'],
  },
  {
    when: 'the version of the definition is none of them',
    shape: { ...identity, ...version('v2', v1.spec), versions: [between(v1beta1, v1)] },
    found: ['version-stored at versions'],
  },
  {
    when: 'the definition has another schema of its version',
    shape: { ...identity, ...larger, versions: [between(v1beta1, v1)] },
    found: ['version-stored at versions'],
  },
  {
    when: 'the version of the definition is not served',
    shape: { ...identity, ...v1, served: false },
    found: ['version-stored at served'],
  },
  {
    when: 'a deprecation has no words',
    shape: { ...identity, ...v1, versions: [between({ ...v1beta1, deprecated: '' }, v1)] },
    found: ['version-deprecated at v1beta1 deprecated'],
  },
  {
    when: 'there are functions and no webhook',
    shape: { ...identity, ...larger, versions: [between(v1beta1, larger, keep)] },
    found: ['version-webhook at versions'],
  },
  {
    when: 'something is wrong with another version alone',
    shape: {
      ...identity,
      ...v1,
      versions: [between({ ...v1beta1, columns: [{ name: 'A', type: 'string', jsonPath: 'spec' }] }, v1)],
    },
    found: ['columns at v1beta1 columns[0].jsonPath'],
  },
];
