import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import type { Decoded } from '#lib/apiserver/machinery/served-kind.ts';
import { badRequest, type StatusError } from '#lib/apiserver/machinery/status.ts';
import { decodeObjectMeta } from '#lib/apiserver/schema/decode-object-meta.ts';
import { dropNulls } from '#lib/apiserver/schema/defaults.ts';
import { coerceEmbedded } from '#lib/apiserver/schema/embedded.ts';
import { pruneUnknown } from '#lib/apiserver/schema/prune.ts';
import type { JsonObject } from '#lib/json.ts';

interface Target {
  readonly group: string;
  readonly kind: string;
  readonly version: string;
  readonly schema: StructuralSchema;
}

const cannotHandle = ({ kind, version }: Target, why: string): StatusError =>
  badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);

/** Whether an object has the group and the kind of a custom resource. */
export const isOwnResource = (
  { apiVersion, kind }: { readonly apiVersion?: unknown; readonly kind?: unknown },
  target: Pick<Target, 'group' | 'kind'>,
): boolean => kind === target.kind && typeof apiVersion === 'string' && apiVersion.startsWith(`${target.group}/`);

/**
 * Decodes the body of a request as a custom resource. Drops unknown fields, and nulls that the schema neither allows nor replaces
 * by a default. An object of another group or kind keeps these fields, because the validation refuses the object later. The
 * metadata must be well-formed.
 *
 * @throws {StatusError} 400 when the metadata of the object, or of an embedded resource, cannot be decoded
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/customresource_handler.go (`unstructuredSchemaCoercer`)
 */
export const decodeCustomResource = (body: JsonObject, target: Target): Decoded => {
  const { schema } = target;
  const meta = decodeObjectMeta(body['metadata']);
  if ('problem' in meta) throw cannotHandle(target, meta.problem);
  const metaUnknown = meta.unknownFields.map((name) => `metadata.${name}`);
  const metadata = Object.hasOwn(body, 'metadata') && { metadata: meta.metadata };
  if (!isOwnResource(body, target)) return { object: { ...body, ...metadata }, unknownFields: metaUnknown };
  const pruned = pruneUnknown(body, schema);
  const embedded = coerceEmbedded(dropNulls(pruned.object, schema), schema);
  if ('error' in embedded) throw cannotHandle(target, `${embedded.error.field}: ${embedded.error.message}`);
  return {
    object: { ...(embedded.value as JsonObject), ...metadata },
    unknownFields: [...metaUnknown, ...pruned.unknownFields, ...embedded.unknownFields],
  };
};
