import type { TSchema } from 'typebox';
import type { KindDefinition } from '#lib/desired/definition.ts';
import { isSameKind } from '#lib/desired/observe/declared-kind.ts';
import { observationOf, observationOfParent, type Situation } from '#lib/desired/observe/observation-of.ts';
import { functionPlace } from '#lib/desired/runaway/function-place.ts';
import { isHung } from '#lib/desired/runaway/hung.ts';
import { limitedCall } from '#lib/desired/runaway/limited-kind.ts';
import { type Issue, UndeclaredReadError } from '#lib/errors.ts';
import type { Extension } from '#lib/kind/extension.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';

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

/** An object that an extension selects. */
const exampleOf = ({ of, where = {} }: Extension): KubeObject => ({
  apiVersion: of.apiVersion,
  kind: of.kind,
  metadata: {
    name: where.names?.[0] ?? 'example',
    ...(of.scope === 'Namespaced' && { namespace: where.namespaces?.[0] ?? 'default' }),
    labels: { ...where.labels },
  },
});

const hungIssue = <Sp extends TSchema, St extends TSchema>(
  { desired }: KindDefinition<Sp, St>,
  { spec }: Situation<Sp, St>,
): Issue => {
  const place = functionPlace(desired);
  const where = place === undefined ? '' : ` (${[place.path, place.line].filter(Boolean).join(':')})`;
  return {
    path: 'desired',
    rule: 'desired-returns',
    message: `desired()${where} does not return within 1 s of CPU time for this spec`,
    value: spec,
    fix: 'correct its loop: it decides from what it is given, and never waits',
  };
};

/**
 * Calls the function of a kind for one input. Reports an owned or read kind, or a field, that the definition does not declare.
 * Also reports a function that does not return, after about a second of CPU time. The input is the given resource; for an
 * extension, it is an example object that the extension selects.
 *
 * Caveats: checks only the result for this input. Ignores other errors of the function, because the loop reports them.
 *
 * @param definition - the kind
 * @param situation - a resource with valid values
 */
export const firstLookIssues = <Sp extends TSchema, St extends TSchema>(
  definition: KindDefinition<Sp, St>,
  situation: Situation<Sp, St>,
): Issue[] => {
  try {
    const observation = definition.extension
      ? observationOfParent(definition, exampleOf(definition.extension))
      : observationOf(definition, situation);
    const { children } = limitedCall(definition.desired, () => definition.desired(observation));
    return strangers(
      definition,
      children.filter(({ verb }) => verb === 'apply').map(({ object }) => object),
    );
  } catch (error) {
    if (isHung(error)) return [hungIssue(definition, situation)];
    return error instanceof UndeclaredReadError ? [...error.issues] : [];
  }
};
