import type { ApiMeta } from '#lib/kube/interface/api.ts';

/**
 * Built-in kinds are written in the order of their Go struct, kind and metadata first (apimachinery's meta/v1/types.go), so
 * that names are the only user input before uid and version. A JSON string without a backslash equals its text. Custom
 * resources are written in alphabetical order, annotations before uid, so their head cannot be used.
 */
const HEAD =
  /^\{"type":"(?:ADDED|MODIFIED)","object":\{"kind":"[A-Za-z]+","apiVersion":"[^"\\]+","metadata":\{"name":"([^"\\]+)",(?:"generateName":"[^"\\]*",)?(?:"namespace":"([^"\\]+)",)?"uid":"([^"\\]+)","resourceVersion":"(\d+)"/;

/**
 * Reads the beginning of a line of a watch, without parsing it: the uid and the version of its object.
 *
 * @returns `undefined` for a line that is no change of an object, or has another format
 *
 * @example
 * eventHeadOf('{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"b","uid":"c","resourceVersion":"7",…');
 * // { namespace: 'b', name: 'a', uid: 'c', resourceVersion: '7' }
 */
export const eventHeadOf = (line: string): ApiMeta | undefined => {
  const match = HEAD.exec(line);
  if (match === null) return undefined;
  const [, name = '', namespace = '', uid = '', resourceVersion = ''] = match;
  return { namespace, name, uid, resourceVersion };
};
