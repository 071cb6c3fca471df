import { type FieldError, invalidValue, notSupported } from '#lib/apiserver/machinery/field-error.ts';
import { badRequest, type StatusError } from '#lib/apiserver/machinery/status.ts';
import { type GoPlace, jsonTypeOf, unmarshalError } from '#lib/apiserver/machinery/text/go-text.ts';
import type { JsonObject } from '#lib/json.ts';
import { checkOptions } from '../errors.ts';
import type { Call } from '../target.ts';
import { TypeMetaError } from '../write/decode-error.ts';
import { bodyTypeMeta } from '../write/type-meta.ts';

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

const unreadable = (found: string, place: GoPlace): StatusError => badRequest(unmarshalError(found, place));

const member = <T>(
  body: JsonObject,
  name: string,
  {
    jsonType,
    goType,
    struct = 'DeleteOptions',
  }: { readonly jsonType: string; readonly goType: string; readonly struct?: string },
): T | undefined => {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  const isFraction = typeof value === 'number' && !Number.isInteger(value);
  if (jsonTypeOf(value) === jsonType && !isFraction) return value as T;
  throw unreadable(isFraction ? `number ${value}` : jsonTypeOf(value), { type: goType, field: `${struct}.${name}` });
};

const preconditionsIn = (body: JsonObject): Pick<DeletionOptions, 'uid' | 'resourceVersion'> => {
  const preconditions = member<JsonObject>(body, 'preconditions', { jsonType: 'object', goType: 'v1.Preconditions' });
  if (preconditions === undefined) return {};
  const text = { jsonType: 'string', struct: 'Preconditions.preconditions' };
  const uid = member<string>(preconditions, 'uid', { ...text, goType: 'types.UID' });
  const resourceVersion = member<string>(preconditions, 'resourceVersion', { ...text, goType: 'string' });
  return { ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) };
};

const checkTypeMeta = (body: unknown): void => {
  const { kind, apiVersion } = bodyTypeMeta(body);
  if (kind === 'DeleteOptions' || kind === '') return;
  throw badRequest(
    `no kind "${kind}" is registered for version "${apiVersion || 'meta.k8s.io/v1'}" in scheme "pkg/runtime/scheme.go:111"`,
  );
};

const dryRunIn = (body: JsonObject): readonly string[] => {
  const values = member<readonly unknown[]>(body, 'dryRun', { jsonType: 'array', goType: '[]string' }) ?? [];
  return values.map((value) => {
    if (value === null) return '';
    if (typeof value === 'string') return value;
    throw unreadable(jsonTypeOf(value), { type: 'string', field: 'DeleteOptions.dryRun' });
  });
};

const optionsIn = (body: JsonObject): DeletionOptions => {
  const gracePeriodSeconds = member<number>(body, 'gracePeriodSeconds', { jsonType: 'number', goType: 'int64' });
  const orphanDependents = member<boolean>(body, 'orphanDependents', { jsonType: 'bool', goType: 'bool' });
  const propagationPolicy = member<string>(body, 'propagationPolicy', {
    jsonType: 'string',
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
const validate = ({ orphanDependents, propagationPolicy }: DeletionOptions, dryRun: readonly string[]): void => {
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
  try {
    checkTypeMeta(body);
  } catch (error) {
    throw error instanceof TypeMetaError ? badRequest(error.message) : error;
  }
  const read = optionsIn(body as JsonObject);
  validate(read, dryRunIn(body as JsonObject));
  return read;
};
