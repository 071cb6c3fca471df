import type { TSchema } from 'typebox';
import type { KindDefinition } from '#lib/desired/definition.ts';
import { type Issue, UndeclaredReadError } from '#lib/errors.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { isSameKind } from './declared-kind.ts';
import { observationOf, type Situation } from './observation-of.ts';

const strangers = <Sp extends TSchema, St extends TSchema>(
  { kind, owns }: KindDefinition<Sp, St>,
  objects: readonly KubeObject[],
): Issue[] => {
  const strange = objects.filter((object) => !owns.some((owned) => isSameKind(owned, object)));
  const names = [...new Set(strange.map((object) => `${object.apiVersion ?? '?'} ${object.kind ?? '?'}`))];
  const owned = owns.map((each) => `${each.apiVersion} ${each.kind}`).join(', ') || 'none';
  return names.map((value) => ({
    path: 'owns',
    rule: 'owned-kind',
    message: `desired() makes a child of a kind that ${kind} does not own (it owns ${owned})`,
    value,
    fix: 'list the kind in owns: it becomes rights and a watch',
  }));
};

/**
 * Calls the function of a kind once, for a new resource without children, and checks that it uses only declared kinds. So a
 * kind that is missing in `owns` or `reads` is found before the installation.
 *
 * Caveats: checks only the first call; the loop refuses later mistakes. A function that throws is reported by the loop.
 *
 * @param definition - the kind
 * @param situation - a resource whose values are valid
 */
export const firstLookIssues = <Sp extends TSchema, St extends TSchema>(
  definition: KindDefinition<Sp, St>,
  situation: Situation<Sp, St>,
): Issue[] => {
  try {
    const { children } = definition.desired(observationOf(definition, situation));
    return strangers(
      definition,
      children.filter(({ verb }) => verb === 'apply').map(({ object }) => object),
    );
  } catch (error) {
    return error instanceof UndeclaredReadError ? [...error.issues] : [];
  }
};
