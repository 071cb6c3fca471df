import { createBodies, identityOf } from './generate-bodies.ts';
import { apply, create, type Maker, makers, makersWithScale, remove, removeAll } from './generate-steps.ts';
import { allKinds } from './kinds/all.ts';
import type { KindUnderTest } from './kinds/kind-under-test.ts';
import { createRandom, type Random } from './random.ts';
import type { Step } from './step.ts';

const MIN_STEPS = 8;
const MAX_STEPS = 25;

/** Names of objects that a sequence has probably made, by plural. */
type Made = Map<string, Set<string>>;

const names = ['a', 'a', 'a', 'a', 'b', 'b', 'c'];

const creations: readonly (readonly [number, Maker])[] = [
  [3, create],
  [1, apply],
];

const makersOf = (
  random: Random,
  { hasScale, isOnlyTried }: KindUnderTest,
  made: ReadonlySet<string>,
): readonly (readonly [number, Maker])[] => {
  if (isOnlyTried === true) return [[1, create]];
  if (made.size === 0 && random.chance(0.75)) return creations;
  return hasScale === true ? makersWithScale : makers;
};

const chooseName = (random: Random, maker: Maker, made: ReadonlySet<string>): string => {
  const unused = names.filter((name) => !made.has(name));
  const isNew = maker === create ? 0.75 : maker === apply ? 0.3 : 0.08;
  if (unused.length > 0 && random.chance(isNew)) return random.pick(unused);
  return random.pick(made.size === 0 ? names : [...made]);
};

const note = (maker: Maker, name: string, made: Set<string>): void => {
  if (maker === create || maker === apply) made.add(name);
  if (maker === remove) made.delete(name);
  if (maker === removeAll) made.clear();
};

const chooseStep = (random: Random, subject: KindUnderTest, { id, made }: { id: number; made: Made }): Step => {
  const { plural } = subject.resource;
  const existing = made.get(plural) ?? new Set();
  made.set(plural, existing);
  const maker = random.weighted(makersOf(random, subject, existing));
  const name = chooseName(random, maker, existing);
  const isMade = existing.has(name);
  note(maker, name, existing);
  const isOther = subject.otherVersions !== undefined && random.chance(0.12);
  const resource = isOther ? { ...subject.resource, version: random.pick(subject.otherVersions) } : subject.resource;
  const namespace = random.chance(0.995) ? '<ns>' : '<ns>-missing';
  return maker({
    random,
    subject,
    bodies: createBodies(identityOf({ ...subject, resource })),
    where: { resource, ...(subject.namespaced && { namespace }) },
    // Names of cluster-scoped objects contain the sequence.
    name: subject.fixedName ?? (subject.namespaced ? name : `<ns>-${name}`),
    isMade,
    id,
  });
};

/** The kinds of one sequence: few, so that requests concern objects of earlier ones. */
const chooseKinds = (
  random: Random,
  kinds: readonly KindUnderTest[],
): readonly (readonly [number, KindUnderTest])[] => {
  const weighted = kinds.map((kind) => [kind.weight, kind] as const);
  const related = random.chance(0.06) ? kinds.filter(({ kind }) => kind === 'Pod' || kind === 'ResourceQuota') : [];
  const chosen = [...related, ...Array.from({ length: 1 + random.int(3) }, () => random.weighted(weighted))];
  return chosen.map((kind, index) => [index === 0 ? 4 : 1, kind]);
};

/**
 * The sequence of a seed.
 *
 * @param kinds - the kinds to choose from; a test may leave some out
 */
export const generateSequence = (seed: number, kinds: readonly KindUnderTest[] = allKinds): readonly Step[] => {
  const random = createRandom(seed);
  const chosen = chooseKinds(random, kinds);
  const length = MIN_STEPS + random.int(MAX_STEPS - MIN_STEPS + 1);
  const made: Made = new Map();
  return Array.from({ length }, (_, id) => chooseStep(random, random.weighted(chosen), { id, made }));
};
