import { applyConfiguration as applyTo } from '#lib/apiserver/apply/apply-configuration.ts';
import type { FieldManagerWrite } from '#lib/apiserver/apply/field-manager.ts';
import { scaleSchema } from '#lib/apiserver/apply/scale-managers.ts';
import { trackUpdatedFields as track } from '#lib/apiserver/apply/track-update.ts';
import { mapMember, withMember } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import type { ServedKind, ServedVersion } from '#lib/apiserver/machinery/served-kind.ts';
import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import type { JsonObject } from '#lib/json.ts';
import { type Call, groupVersion, managerOf, type Target } from '../target.ts';

/** The subresource that a request writes; '' for the object itself. */
export type Subresource = '' | 'status' | 'scale' | 'finalize';

interface Written {
  /** The stored object; `undefined` when the object is being created. */
  readonly live: JsonObject | undefined;
  readonly subresource: Subresource;
}

const SCALE = 'autoscaling/v1';

const emptyObjects = new WeakMap<ServedVersion, JsonObject>();

/**
 * The result of decoding an empty object: the members that Go always writes, which have no owner. Annotations are removed from
 * the result, because an annotation that the decoder adds has an owner.
 */
const emptyOf = ({ kind, version, apiVersion }: Target): JsonObject => {
  if (kind.isCustom === true) return {};
  let empty = emptyObjects.get(version);
  if (empty === undefined) {
    const decoded = kind.strategy.decode({ apiVersion, kind: kind.kind, metadata: {} }, version).object;
    const { apiVersion: _, kind: __, ...rest } = decoded;
    empty = mapMember(rest, 'metadata', (metadata) => withMember(metadata, 'annotations', undefined));
    emptyObjects.set(version, empty);
  }
  return empty;
};

const schemasByVersion = new WeakMap<ServedKind, Readonly<Record<string, StructuralSchema>>>();

const otherVersions = (kind: ServedKind): Readonly<Record<string, StructuralSchema>> => {
  let schemas = schemasByVersion.get(kind);
  if (schemas === undefined) {
    schemas = Object.fromEntries(kind.versions.map((version) => [groupVersion(kind, version), version.schema]));
    schemasByVersion.set(kind, schemas);
  }
  return schemas;
};

const writeOf = ({ server, target, options }: Call, { live, subresource }: Written): FieldManagerWrite => {
  const { kind, version, apiVersion } = target;
  return {
    live: live as ServerObject | undefined,
    manager: managerOf(options),
    apiVersion,
    subresource,
    schema: version.schema,
    resetFields: kind.strategy.resetFields[subresource === 'status' ? 'status' : ''],
    now: timestamp(server.now()),
    empty: emptyOf(target),
    otherVersions: otherVersions(kind),
  };
};

/** Returns the written object with the managed fields that follow from the write. */
export const trackWrite = (call: Call, next: JsonObject, written: Written): JsonObject =>
  track({ ...writeOf(call, written), next: next as unknown as ServerObject });

/** Performs a server-side apply. @throws {StatusError} 409 for conflicts, 400 or 500 for an invalid configuration */
export const applyBody = (call: Call, config: JsonObject, written: Written): JsonObject =>
  applyTo({
    ...writeOf(call, written),
    config,
    kind: call.target.kind.kind,
    force: call.options.force === true,
  });

const scaleWriteOf = ({ server, options }: Call, live: JsonObject): FieldManagerWrite => ({
  live: live as unknown as ServerObject,
  manager: managerOf(options),
  apiVersion: SCALE,
  subresource: 'scale',
  schema: scaleSchema,
  resetFields: [],
  now: timestamp(server.now()),
});

/** Like {@link trackWrite}, for the `Scale` of an object. */
export const trackScale = (call: Call, next: JsonObject, live: JsonObject): JsonObject =>
  track({ ...scaleWriteOf(call, live), next: next as unknown as ServerObject });

/** Like {@link applyBody}, for the `Scale` of an object. */
export const applyScale = (call: Call, config: JsonObject, live: JsonObject): JsonObject =>
  applyTo({ ...scaleWriteOf(call, live), config, kind: 'Scale', force: call.options.force === true });
