import type { Issue } from '#lib/errors.ts';
import type { KindShape, VersionShape } from '../shape.ts';

/**
 * Returns all versions of a kind, from the oldest to the newest. The storage version is the version of the definition.
 *
 * @param shape - the kind; if the rules refuse its versions, the result has no meaning
 */
export const versionsOf = (shape: KindShape): readonly VersionShape[] => {
  const [first, ...rest] = shape.versions ?? [];
  if (first === undefined) return [shape];
  const all = [first.older, first.newer, ...rest.map(({ newer }) => newer)];
  return all.map((each) => (each.version === shape.version ? shape : each));
};

/** Returns the kind as if one of its versions were its only version. */
export const shapeAt = (shape: KindShape, at: VersionShape): KindShape => {
  const { group, kind, plural, shortNames, scope, name } = shape;
  const { version, spec, status, validations, scale, columns, served, deprecated } = at;
  const description = at.description ?? shape.description;
  return {
    group,
    version,
    kind,
    spec,
    status,
    ...(plural !== undefined && { plural }),
    ...(shortNames && { shortNames }),
    ...(scope && { scope }),
    ...(description !== undefined && { description }),
    ...(name && { name }),
    ...(validations && { validations }),
    ...(scale && { scale }),
    ...(columns && { columns }),
    ...(served !== undefined && { served }),
    ...(deprecated !== undefined && { deprecated }),
  };
};

/** Returns a copy of an issue with a path that starts with the version. */
export const inVersion = (version: string, issue: Issue): Issue => ({
  ...issue,
  path: `${version} ${issue.path}`.trim(),
});
