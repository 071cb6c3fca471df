import { type FieldError, invalidValue, notSupported } from '#lib/apiserver/machinery/field-error.ts';
import { badRequest } from '#lib/apiserver/machinery/status.ts';
import { jsonTypeOf } from '#lib/apiserver/machinery/text/go-text.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { checkOptions } from '../errors.ts';
import type { Call } from '../target.ts';

/** The options of a deletion. */
export interface DeletionOptions {
  readonly gracePeriodSeconds?: number;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
  readonly isDryRun: boolean;
}

const POLICIES = ['Foreground', 'Background', 'Orphan'];

const member = <T>(
  body: JsonObject,
  name: string,
  {
    jsType,
    goType,
    struct = 'DeleteOptions',
  }: { readonly jsType: string; readonly goType: string; readonly struct?: string },
): T | undefined => {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === jsType) return value as T;
  throw badRequest(
    `json: cannot unmarshal ${jsonTypeOf(value)} into Go struct field ${struct}.${name} of type ${goType}`,
  );
};

const preconditionsIn = (body: JsonObject): Pick<DeletionOptions, 'uid' | 'resourceVersion'> => {
  const preconditions = member<JsonObject>(body, 'preconditions', { jsType: 'object', goType: 'v1.Preconditions' });
  if (preconditions === undefined) return {};
  const text = { jsType: 'string', struct: 'Preconditions.preconditions' };
  const uid = member<string>(preconditions, 'uid', { ...text, goType: 'types.UID' });
  const resourceVersion = member<string>(preconditions, 'resourceVersion', { ...text, goType: 'string' });
  return { ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) };
};

const checkTypeMeta = ({ kind = 'DeleteOptions', apiVersion = 'v1' }: JsonObject): void => {
  if (kind === 'DeleteOptions' || kind === '') return;
  throw badRequest(
    `no kind "${String(kind)}" is registered for version "${String(apiVersion)}" in scheme "pkg/runtime/scheme.go:111"`,
  );
};

const dryRunIn = ({ dryRun }: JsonObject): readonly unknown[] => {
  if (dryRun === undefined || dryRun === null) return [];
  if (Array.isArray(dryRun)) return dryRun;
  throw badRequest(
    `json: cannot unmarshal ${jsonTypeOf(dryRun)} into Go struct field DeleteOptions.dryRun of type []string`,
  );
};

const optionsIn = (body: JsonObject): DeletionOptions => {
  checkTypeMeta(body);
  const gracePeriodSeconds = member<number>(body, 'gracePeriodSeconds', { jsType: 'number', goType: 'int64' });
  const orphanDependents = member<boolean>(body, 'orphanDependents', { jsType: 'boolean', goType: 'bool' });
  const propagationPolicy = member<string>(body, 'propagationPolicy', {
    jsType: 'string',
    goType: 'v1.DeletionPropagation',
  });
  return {
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds: gracePeriodSeconds < 0 ? 1 : gracePeriodSeconds }),
    ...(orphanDependents !== undefined && { orphanDependents }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...preconditionsIn(body),
    isDryRun: dryRunIn(body).includes('All'),
  };
};

/** @see k8s.io/apimachinery v0.36.4 pkg/apis/meta/v1/validation/validation.go (`ValidateDeleteOptions`) */
const validate = ({ orphanDependents, propagationPolicy }: DeletionOptions, dryRun: readonly unknown[]): void => {
  const errors: FieldError[] = [];
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    const why = 'orphanDependents and deletionPropagation cannot be both set';
    errors.push(invalidValue('propagationPolicy', propagationPolicy, why));
  }
  if (propagationPolicy !== undefined && !POLICIES.includes(propagationPolicy)) {
    errors.push(notSupported('propagationPolicy', propagationPolicy, [...POLICIES, 'nil']));
  }
  if (dryRun.some((value) => value !== 'All')) errors.push(notSupported('dryRun', dryRun, ['All']));
  checkOptions('DeleteOptions', errors);
};

/**
 * Reads the options of a deletion from its body. When there is no body, reads `dryRun` from the query; the HTTP layer converts
 * all other options in a query to a body. As in the real server, a body overrides the query completely.
 *
 * @throws {StatusError} 400 or 422
 */
export const deleteOptionsOf = ({ request, options }: Call): DeletionOptions => {
  const { body } = request;
  if (body === undefined) return { isDryRun: options.dryRun === true };
  if (!isPlainObject(body)) {
    throw badRequest(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeOf(body)} into Go value`,
    );
  }
  const read = optionsIn(body);
  validate(read, dryRunIn(body));
  return read;
};
