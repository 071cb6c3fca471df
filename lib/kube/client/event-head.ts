import type { ApiMeta } from '#lib/kube/interface/api.ts';

/**
 * Matches the beginning of an ADDED or MODIFIED event of a built-in kind. The API server writes the fields of built-in kinds in
 * the order of the Go struct, kind and metadata first (apimachinery's meta/v1/types.go). Names are therefore the only user input
 * before uid and version, and a JSON string without a backslash equals its text. Fields of custom resources are written in
 * alphabetical order, with annotations before the uid, so this expression does not match them.
 */
const HEAD =
  /^\{"type":"(?:ADDED|MODIFIED)","object":\{"kind":"[A-Za-z]+","apiVersion":"[^"\\]+","metadata":\{"name":"([^"\\]+)",(?:"generateName":"[^"\\]*",)?(?:"namespace":"([^"\\]+)",)?"uid":"([^"\\]+)","resourceVersion":"(\d+)"/;

/**
 * Reads the uid and the version of the object from the beginning of a line of a watch, without parsing the line.
 *
 * @returns `undefined` if the line is not an ADDED or MODIFIED event, or has another format
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
