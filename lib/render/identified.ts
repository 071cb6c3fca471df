import type { TSchema } from 'typebox';
import type { Situation } from '#lib/desired/observe/observation-of.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';

/** The loop identifies objects by uid, and objects in tests often have none. */
const withUid = <O extends KubeObject>(object: O): O => {
  const { namespace = '', name = '', uid = [object.kind, namespace, name].join('/') } = object.metadata ?? {};
  return { ...object, metadata: { ...object.metadata, uid } };
};

/** A copy of a situation in which every observed child and orphan has a uid. Existing uids do not change. */
export const identified = <Sp extends TSchema, St extends TSchema>(
  situation: Situation<Sp, St>,
): Situation<Sp, St> & Required<Pick<Situation<Sp, St>, 'children' | 'orphans'>> => {
  const { children = [], orphans = [], ...rest } = structuredClone(situation);
  return { ...rest, children: children.map(withUid), orphans: orphans.map(withUid) };
};
