import { createHash } from 'node:crypto';
import { objectIn } from '#lib/apiserver/machinery/members.ts';
import type { JsonObject } from '#lib/json.ts';
import { CONVERSION_PROBLEM, INCOMPLETE_LABEL, KEPT_ANNOTATION } from '#lib/kind/versions/annotations.ts';
import { isBounded, type Kept, type KeptByVersion } from './kept.ts';

/**
 * The API server's limit for all annotations of an object together, keys and values, in bytes.
 *
 * @see https://github.com/kubernetes/apimachinery/blob/master/pkg/api/validation/objectmeta.go (TotalAnnotationSizeLimitB)
 */
const MAX_BYTES = 256 * 1024;

/** Maximum length of the problem in an annotation, in characters. */
const MESSAGE_LENGTH = 1000;

const LABEL_LENGTH = 40;

const bytesOf = (annotations: JsonObject): number =>
  Object.entries(annotations).reduce(
    // A client of the webhook may send any value as an annotation.
    (sum, [name, value]) =>
      sum + Buffer.byteLength(name) + Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value)),
    0,
  );

const fits = (annotations: JsonObject): boolean => bytesOf(annotations) <= MAX_BYTES;

/** The path of a kept value, for messages. The path omits the keys of list items, because these keys are values. */
export const pathOf = ({ at }: Kept): string =>
  at.map((segment, index) => (typeof segment === 'string' ? `${index === 0 ? '' : '.'}${segment}` : '[]')).join('');

/** The metadata that the library writes on a converted object. */
export interface Notes {
  readonly kept: KeptByVersion;
  /** The problems of the object in this version. Empty unless the API server stores this version. */
  readonly problems: readonly string[];
  /** Returns the value of the label for an object with kept data that do not fit. See `ConversionTools.seal`. */
  readonly seal: (uid: string) => string;
}

const uidOf = ({ uid }: JsonObject): string => (typeof uid === 'string' ? uid : '');

/** Whether an object has the label {@link INCOMPLETE_LABEL}. Another client may have set the label. */
export const isMarked = (metadata: JsonObject): boolean => INCOMPLETE_LABEL in objectIn(metadata, 'labels');

/** Whether the label {@link INCOMPLETE_LABEL} has the value that this library writes for this object. */
export const isIncomplete = (metadata: JsonObject, seal: Notes['seal']): boolean =>
  objectIn(metadata, 'labels')[INCOMPLETE_LABEL] === seal(uidOf(metadata));

const OWN = [KEPT_ANNOTATION, INCOMPLETE_LABEL, CONVERSION_PROBLEM];

/** Whether metadata have annotations or labels of conversions, or will get some. */
export const hasNotes = (metadata: JsonObject, { kept, problems }: Notes): boolean =>
  Object.keys(kept).length > 0 ||
  problems.length > 0 ||
  OWN.some((name) => name in objectIn(metadata, 'labels') || name in objectIn(metadata, 'annotations'));

/** Cuts a hash to 40 characters, for a label value. */
export const labelOf = (hash: string): string => hash.slice(0, LABEL_LENGTH);

/** Replaces fields of the metadata. Empty fields are omitted, so that metadata without notes stay unchanged. */
const withMembers = (metadata: JsonObject, fields: Readonly<Record<string, JsonObject>>): JsonObject => {
  const names = new Set(Object.keys(fields));
  const rest = Object.fromEntries(Object.entries(metadata).filter(([name]) => !names.has(name)));
  return { ...rest, ...Object.fromEntries(Object.entries(fields).filter(([, all]) => Object.keys(all).length > 0)) };
};

/**
 * Writes the kept data and the problems of an object into its metadata.
 *
 * Guarantees: the annotations stay within the limit of the API server. If the kept data do not fit, they are omitted, and a
 * label records the omission. A label always records that an object has a problem; an annotation also describes the problem, if
 * the annotation fits.
 */
export const withNotes = (metadata: JsonObject, { kept, problems, seal }: Notes): JsonObject => {
  const { [KEPT_ANNOTATION]: _, [CONVERSION_PROBLEM]: __, ...annotations } = objectIn(metadata, 'annotations');
  const { [INCOMPLETE_LABEL]: ___, [CONVERSION_PROBLEM]: ____, ...labels } = objectIn(metadata, 'labels');
  const withRest = { ...annotations, [KEPT_ANNOTATION]: JSON.stringify(kept) };
  const isKept = Object.keys(kept).length > 0;
  const hasRoom = isBounded(kept) && fits(withRest);
  const isLeftOut = isKept && !hasRoom;
  const withKept = isKept && hasRoom ? withRest : annotations;
  const problem = problems.join('; ').slice(0, MESSAGE_LENGTH);
  const withProblem = { ...withKept, [CONVERSION_PROBLEM]: problem };
  return withMembers(metadata, {
    labels: {
      ...labels,
      ...(isLeftOut && { [INCOMPLETE_LABEL]: seal(uidOf(metadata)) }),
      ...(problem !== '' && {
        [CONVERSION_PROBLEM]: labelOf(createHash('sha256').update(problem).digest('hex')),
      }),
    },
    annotations: problem !== '' && fits(withProblem) ? withProblem : withKept,
  });
};
