import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { ConversionError } from './error.ts';
import { KEPT_ANNOTATION, type Kept, type KeptByVersion } from './kept.ts';

/**
 * Bytes of all annotations of an object, keys and values.
 *
 * @see https://github.com/kubernetes/apimachinery/blob/master/pkg/api/validation/objectmeta.go (TotalAnnotationSizeLimitB)
 */
const MAX_BYTES = 256 * 1024;

const bytesOf = (annotations: JsonObject): number =>
  Object.entries(annotations).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(String(value)),
    0,
  );

/** Fields by their names; the keys of items are values, which are not told. */
const pathOf = ({ at }: Kept): string =>
  at.map((segment, index) => (typeof segment === 'string' ? `${index === 0 ? '' : '.'}${segment}` : '[]')).join('');

const largestOf = (kept: KeptByVersion): string => {
  const sizes = Object.values(kept)
    .flat()
    .map((each) => ({ path: pathOf(each), size: JSON.stringify(each).length }));
  return sizes.toSorted((one, other) => other.size - one.size)[0]?.path ?? '';
};

const assertFits = (apiVersion: string, annotations: JsonObject, kept: KeptByVersion): void => {
  const bytes = bytesOf(annotations);
  if (bytes <= MAX_BYTES) return;
  const problem = `is the largest of what this version cannot express; annotations would have ${bytes} bytes, ${MAX_BYTES} are allowed`;
  const fix = 'make it smaller, give the field to this version as well, or use the object in the version that has it';
  throw new ConversionError(apiVersion, largestOf(kept), `${problem}: ${fix}`);
};

/**
 * Writes what is kept into the annotations of an object; no annotation when nothing is.
 *
 * @param apiVersion - in which the object is to be written, for messages
 * @throws {ConversionError} naming the largest field, when the API server would refuse the annotations as too large
 */
export const withKept = (apiVersion: string, metadata: JsonObject, kept: KeptByVersion): JsonObject => {
  const annotations = isPlainObject(metadata['annotations']) ? metadata['annotations'] : {};
  const { [KEPT_ANNOTATION]: before, ...others } = annotations;
  const isEmpty = Object.keys(kept).length === 0;
  if (isEmpty && before === undefined) return metadata;
  const all = isEmpty ? others : { ...annotations, [KEPT_ANNOTATION]: JSON.stringify(kept) };
  if (!isEmpty) assertFits(apiVersion, all, kept);
  const { annotations: _, ...rest } = metadata;
  return Object.keys(all).length === 0 ? rest : { ...rest, annotations: all };
};
