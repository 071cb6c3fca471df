import type { Issue } from '#lib/errors.ts';
import type { JsonSchema } from '../json-schema/json-schema.ts';
import { readSchema } from '../json-schema/json-schema.ts';
import { walkSchema } from '../json-schema/walk.ts';
import { issueOf } from '../rules/index.ts';
import { rootSchema } from '../schema/root-schema.ts';
import type { KindShape, VersionShape } from '../shape.ts';
import { inVersion, shapeAt, versionsOf } from '../versions/chain.ts';
import {
  boundItems,
  boundLength,
  boundNumber,
  boundProperties,
  defaultOptional,
  listTypeMissing,
  safeInteger,
} from './bounds.ts';
import { withoutExceptions } from './exceptions.ts';
import { type Field, nearestFieldName, type SchemaLint, type ShapeLint } from './lint.ts';
import { durationAsText, noPhase, secondsName, shortNameTaken, timeName } from './names.ts';
import { atomicDefault, itemRequired, noObjectMap, referenceName, referenceNamespace } from './structure.ts';
import { enumCase, intOrStringPattern, noFloat, noNullable, numberEnum, unknownFormat } from './values.ts';

/** The conventions over the parts of a definition that are not schemas, in the order in which their findings are reported. */
export const SHAPE_LINTS: readonly ShapeLint[] = [shortNameTaken];

/** The conventions over schemas, in the order in which their findings are reported. */
export const SCHEMA_LINTS: readonly SchemaLint[] = [
  boundLength,
  boundItems,
  boundProperties,
  boundNumber,
  safeInteger,
  listTypeMissing,
  defaultOptional,
  noFloat,
  numberEnum,
  enumCase,
  noNullable,
  intOrStringPattern,
  unknownFormat,
  secondsName,
  durationAsText,
  timeName,
  noPhase,
  noObjectMap,
  itemRequired,
  atomicDefault,
  referenceNamespace,
  referenceName,
];

const WAIVABLE = new Set(
  [...SHAPE_LINTS, ...SCHEMA_LINTS].filter(({ severity }) => severity === 'lint').map(({ id }) => id),
);

/** Paths of the fields that the library itself adds to every status, and that are not checked. */
const OURS = /^status\.(?:conditions|observedGeneration)\b/;

const fieldsOf = (shape: KindShape): Field[] =>
  [...walkSchema(rootSchema(shape))].flatMap((visit) => {
    const part = /^(?:spec|status)\b/.exec(visit.path)?.[0] as 'spec' | 'status' | undefined;
    if (part === undefined || visit.restricting || OURS.test(visit.path)) return [];
    return [{ ...visit, part, name: nearestFieldName(visit.path) }];
  });

const schemaFindings = (shape: KindShape): Issue[] =>
  fieldsOf(shape).flatMap((field) =>
    SCHEMA_LINTS.flatMap(({ id, check }) => [...check(field)].map((found) => issueOf(id, field.path, found))),
  );

const isJudged = (shape: KindShape, { version, served = true }: VersionShape): boolean =>
  served || version === shape.version;

/**
 * Returns the findings of all served versions and of the version of the definition. If the kind has several versions, each issue
 * names its version.
 */
const versionFindings = (shape: KindShape): Issue[] => {
  if (shape.versions === undefined) return schemaFindings(shape);
  const judged = versionsOf(shape).filter((each) => isJudged(shape, each));
  return judged.flatMap((each) => schemaFindings(shapeAt(shape, each)).map((issue) => inVersion(each.version, issue)));
};

const findingsOf = (shape: KindShape): Issue[] => {
  const root: JsonSchema = readSchema(rootSchema(shape));
  return [
    ...SHAPE_LINTS.flatMap(({ id, check }) =>
      [...check({ shape, root })].map((found) => issueOf(id, found.at ?? '', found)),
    ),
    ...versionFindings(shape),
  ];
};

/**
 * Checks a kind against the API conventions of Kubernetes. The API server does not check these conventions.
 *
 * Guarantees: reports all findings of every served version at once, except the findings that the definition excepts with a
 * reason. An exception is itself a finding if it is unused, has no valid reason, or names a rule that allows no exceptions.
 *
 * Caveats: checks only the schema and the short names. The schema does not show whether an empty optional field has a meaning,
 * or whether two fields exclude each other.
 *
 * @param shape - a kind that compiles
 * @returns every issue; if there are no issues, the kind may be published
 * @example
 * lintKind({ ...podSet, lintExceptions: [{ rule: 'no-phase', path: 'status.phase', reason: 'users of the classic kind read it' }] });
 */
export const lintKind = (shape: KindShape): Issue[] =>
  withoutExceptions(findingsOf(shape), { exceptions: shape.lintExceptions ?? [], waivable: WAIVABLE });
