import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import type { Decoded } from '#lib/apiserver/machinery/served-kind.ts';
import { badRequest, type StatusError } from '#lib/apiserver/machinery/status.ts';
import { decodeObjectMeta } from '#lib/apiserver/schema/decode-object-meta.ts';
import { dropNulls } from '#lib/apiserver/schema/defaults.ts';
import { coerceEmbedded } from '#lib/apiserver/schema/embedded.ts';
import { pruneUnknown } from '#lib/apiserver/schema/prune.ts';
import type { JsonObject } from '#lib/json.ts';

interface Target {
  readonly kind: string;
  readonly version: string;
  readonly schema: StructuralSchema;
}

const cannotHandle = ({ kind, version }: Target, why: string): StatusError =>
  badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);

/**
 * Decodes the body of a request as a custom resource. Drops unknown fields, and nulls that the schema neither allows nor replaces
 * by a default. The metadata must be well-formed.
 *
 * @throws {StatusError} 400 when the metadata of the object, or of an embedded resource, cannot be decoded
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/customresource_handler.go (`unstructuredSchemaCoercer`)
 */
export const decodeCustomResource = (body: JsonObject, target: Target): Decoded => {
  const { schema } = target;
  const meta = decodeObjectMeta(body['metadata']);
  if ('problem' in meta) throw cannotHandle(target, meta.problem);
  const pruned = pruneUnknown(body, schema);
  const embedded = coerceEmbedded(dropNulls(pruned.object, schema), schema);
  if ('error' in embedded) throw cannotHandle(target, `${embedded.error.field}: ${embedded.error.message}`);
  const metaUnknown = meta.unknownFields.map((name) => `metadata.${name}`);
  return {
    object: { ...(embedded.value as JsonObject), ...(Object.hasOwn(body, 'metadata') && { metadata: meta.metadata }) },
    unknownFields: [...metaUnknown, ...pruned.unknownFields, ...embedded.unknownFields],
  };
};
