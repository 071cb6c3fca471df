import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { apply, between, ConfigMap, defineKind, progressing, ready, s, type VersionShape } from '#lib/index.ts';

const group = 'demo.example.com';
const status = s.object({ read: s.boolean({ description: 'True once it was read.' }) });
const text = s.string({ maxLength: 100, description: 'The text.' });

const v1alpha1 = { version: 'v1alpha1', spec: s.object({ text }), status } satisfies VersionShape;
const v1beta1 = { version: 'v1beta1', spec: s.object({ body: text }), status } satisfies VersionShape;

const step = between(v1alpha1, v1beta1, {
  up: ({ spec, status: reported }) => ({ spec: { body: spec.text }, status: reported }),
  down: ({ spec, status: reported }) => ({ spec: { text: spec.body }, status: reported }),
});

const kept = (name: string, data: string) =>
  apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text: data } });

const letter = {
  group,
  kind: 'Letter',
  description: 'Letter keeps a text in a ConfigMap.',
  owns: [ConfigMap],
} as const;

const answer = (name: string, data: string) => ({
  children: [kept(name, data)],
  status: { read: true },
  state: ready('Read', 'it was read'),
});

/** The first version, which may declare a second one. */
const firstLetter = (versions?: readonly [typeof step]) =>
  defineKind({
    ...letter,
    ...v1alpha1,
    ...(versions && { versions }),
    desired: ({ resource }) => answer(resource.metadata.name, resource.spec.text),
  });

const secondLetter = defineKind({
  ...letter,
  ...v1beta1,
  versions: [step],
  desired: ({ resource }) => answer(resource.metadata.name, resource.spec.body),
});

/** A kind with a finalizer: its deletion waits until its ConfigMap is gone. */
const locker = defineKind({
  group,
  version: 'v1alpha1',
  kind: 'Locker',
  description: 'Locker keeps a ConfigMap, and takes it away itself.',
  spec: s.object({ text }),
  status: s.object({ kept: s.boolean({ description: 'Whether it is kept.' }) }),
  owns: [ConfigMap],
  desired: ({ resource }) => ({
    children: [kept(`${resource.metadata.name}-locker`, resource.spec.text)],
    status: { kept: true },
    state: ready('Kept', 'it is kept'),
  }),
  finalize: () => ({ children: [], status: { kept: false }, state: progressing('Emptying', 'it is taken away') }),
});

const others: readonly AnyKindDefinition[] = [locker, canaryRollout];

/**
 * Releases of an author's operator. Letter has one version, then a second one that is served, and then the second one is
 * stored.
 */
export const RELEASES = {
  one: [firstLetter(), ...others],
  served: [firstLetter([step]), ...others],
  stored: [secondLetter, ...others],
} as const satisfies Readonly<Record<string, readonly AnyKindDefinition[]>>;

/** A release, which is the tag of its image. */
export type ReleaseName = keyof typeof RELEASES;
