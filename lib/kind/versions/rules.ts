import type { Issue } from '#lib/errors.ts';
import { equalJson, isJson } from '#lib/json.ts';
import type { KindShape, VersionShape } from '../shape.ts';
import { versionsOf } from './chain.ts';
import { obstaclesBetween } from './same-fields.ts';

/** A rule over all versions of a kind. */
export interface VersionsRule {
  /** The code of the rule, in kebab-case. The code does not change between releases. */
  readonly id: string;
  readonly check: (shape: KindShape) => Iterable<Omit<Issue, 'rule'>>;
}

const isSame = (a: VersionShape, b: VersionShape): boolean =>
  a === b || equalJson([{ ...a.spec }, { ...a.status }], [{ ...b.spec }, { ...b.status }]);

/** The steps between versions are consecutive, without a gap, and each version occurs once. */
const chain: VersionsRule = {
  id: 'version-chain',
  *check({ versions = [] }) {
    const seen = new Set<string>();
    for (const [index, { older, newer }] of versions.entries()) {
      const path = `versions[${index}]`;
      const before = versions[index - 1]?.newer;
      if (before && (before.version !== older.version || !isSame(before, older))) {
        const message = `must begin with ${before.version}, where the step before it ends`;
        yield { path, message, value: older.version, fix: 'list the steps from the oldest version to the newest' };
      }
      for (const { version } of before ? [newer] : [older, newer]) {
        if (seen.has(version))
          yield {
            path,
            message: 'names a version that was there before',
            value: version,
            fix: 'name every version once',
          };
        seen.add(version);
      }
    }
  },
};

/** The version of the definition is served, and is one of the versions of the steps. */
const stored: VersionsRule = {
  id: 'version-stored',
  *check(shape) {
    const { versions, version } = shape;
    if (shape.served === false) {
      const message = 'must be served: the operator itself reads and writes this version';
      yield { path: 'served', message, value: false, fix: 'make another version the one of the definition' };
    }
    if (versions === undefined) return;
    const known = versions.flatMap(({ older, newer }) => [older, newer]).filter((each) => each.version === version);
    if (known.some((each) => isSame(each, shape))) return;
    const message =
      known.length === 0
        ? `must contain ${version}, the version of the definition`
        : `have another schema of ${version}`;
    yield {
      path: 'versions',
      message,
      fix: 'spread one of the versions into the definition: { ...v1beta1, versions: […] }',
    };
  },
};

/** A deprecation warning has 1 to 256 printable characters, as the API server requires. */
const deprecation: VersionsRule = {
  id: 'version-deprecated',
  *check(shape) {
    for (const { version, deprecated } of versionsOf(shape)) {
      if (typeof deprecated !== 'string' || /^[\x20-\x7e]{1,256}$/.test(deprecated)) continue;
      const message = 'must be 1 to 256 printable ASCII characters, or true';
      yield { path: `${version} deprecated`, message, value: deprecated, fix: 'name the replacement in one line' };
    }
  },
};

/**
 * Two versions without conversion functions between them have the same fields, and the newer version accepts all values of the
 * older version.
 */
const conversion: VersionsRule = {
  id: 'version-conversion',
  *check({ versions = [] }) {
    for (const [index, step] of versions.entries()) {
      if (step.conversion) continue;
      for (const { path, message } of obstaclesBetween(step)) {
        yield {
          path: `versions[${index}] ${path}`,
          message: `between ${step.older.version} and ${step.newer.version} without functions: ${message}`,
          fix: 'make the field equal in both versions, or write up and down: between(older, newer, { up, down })',
        };
      }
    }
  },
};

/** The rules over all versions, in the order in which their findings are reported. */
export const VERSIONS_RULES: readonly VersionsRule[] = [chain, stored, deprecation, conversion];

/** Applies the rules over all versions of a kind. `findIssues` applies the rules over a single version. */
export const findVersionsIssues = (shape: KindShape): Issue[] =>
  VERSIONS_RULES.flatMap(({ id, check }) =>
    [...check(shape)].map(({ value, ...issue }) => ({ ...issue, rule: id, ...(isJson(value) && { value }) })),
  );
