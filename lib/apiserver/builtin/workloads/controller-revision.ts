import { required } from '#lib/apiserver/machinery/field-error.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isDns1123Subdomain } from '#lib/apiserver/machinery/validation/content.ts';
import { checkNonNegative, type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import type { BuiltinKind } from '../strategy.ts';
import { checkImmutable, checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';

const checkRevision = (object: ServerObject): FieldErrors => [
  ...checkMetadata(object, { check: isDns1123Subdomain }),
  ...checkNonNegative('revision', object['revision']),
];

const checkData = ({ data }: JsonObject): FieldErrors => {
  if (data === undefined || data === null) return [required('data', 'data is mandatory')];
  return isPlainObject(data) ? fine : [required('data', 'data must be a valid JSON object')];
};

/**
 * The built-in kind ControllerRevision.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/apps/validation/validation.go (`ValidateControllerRevisionCreate`)
 */
export const controllerRevisionKind: BuiltinKind = {
  group: 'apps',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  strategy: {
    check: (object) => [...checkRevision(object), ...checkData(object)],
    checkUpdate: (object, old) => [
      ...checkMetadataUpdate(object, old),
      ...checkRevision(object),
      ...checkImmutable('data', object['data'], old['data']),
    ],
  },
};
