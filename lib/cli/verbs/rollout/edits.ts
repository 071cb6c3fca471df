import type { SteeringEdit } from '#lib/desired/steering.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { at } from '../../objects/json.ts';

/** An operation of a JSON patch (RFC 6902). */
export interface JsonPatchOperation {
  readonly op: 'test' | 'add';
  readonly path: string;
  readonly value: unknown;
}

const pointer = (path: readonly string[]): string =>
  path.map((member) => `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

const waysTo = (object: ApiObject, { path }: SteeringEdit, made: Set<string>): readonly JsonPatchOperation[] =>
  path.slice(0, -1).flatMap((_, depth): readonly JsonPatchOperation[] => {
    const way = path.slice(0, depth + 1);
    const name = pointer(way);
    if (at(object, ...way) !== undefined || made.has(name)) return [];
    made.add(name);
    return [{ op: 'add', path: name, value: {} }];
  });

/**
 * A patch that sets fields of an object, and fails if the object has changed since it was read.
 *
 * @param object - the object that was read
 * @param edits - the fields to set
 */
export const guardedPatch = (object: ApiObject, edits: readonly SteeringEdit[]): readonly JsonPatchOperation[] => {
  const { uid, resourceVersion } = object.metadata;
  const made = new Set<string>();
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    // The operation `add` also replaces an existing value.
    ...edits.flatMap((edit): readonly JsonPatchOperation[] => [
      ...waysTo(object, edit, made),
      { op: 'add', path: pointer(edit.path), value: edit.value },
    ]),
  ];
};
