import { kinds } from '#apps/kinds.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { RELEASES, type ReleaseName } from '#test/company/flux/kinds.ts';

/** All kinds of this repository, and those of one release of an author. */
export const kindsOf = (release: ReleaseName): readonly AnyKindDefinition[] => [
  ...kinds,
  ...RELEASES[release].filter((kind) => !kinds.includes(kind)),
];

export type { ReleaseName };
