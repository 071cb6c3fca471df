import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { groupVersionOf } from '#lib/apiserver/machinery/resources.ts';
import { badRequest, plainFailure } from '#lib/apiserver/machinery/status.ts';
import type { JsonObject } from '#lib/json.ts';
import {
  type FieldManagerWrite,
  fieldVersions,
  metadataOf,
  stripOwner,
  updateManagers,
  withManagedFields,
} from './field-manager.ts';
import { isList } from './fields/value.ts';
import { appliedByClient, withLastApplied } from './last-applied.ts';
import { decodeManagers, encodeManagers, type Managers, newOwner, withSet } from './managers.ts';
import type { Atom } from './typed/atom.ts';
import { typeError } from './typed/validate.ts';
import { applyFields, type Versions } from './updater.ts';

/** The input of a server-side apply. */
export interface ApplyWrite extends FieldManagerWrite {
  readonly config: JsonObject;
  /** The kind of the requested resource. */
  readonly kind: string;
  readonly force: boolean;
}

const noObject: JsonObject = {};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Prints a kind as Go does: `apps/v1, Kind=Deployment`. */
const kindText = (object: JsonObject): string => {
  const { group, version } = groupVersionOf(textOf(object['apiVersion']));
  return `${group}/${version}, Kind=${textOf(object['kind'])}`;
};

const nameText = (object: JsonObject): string => {
  const { namespace, name } = metadataOf(object);
  return `${textOf(namespace)}/${textOf(name)}; ${kindText(object)}`;
};

const refuseConfig = (write: ApplyWrite): void => {
  const { config, apiVersion, kind } = write;
  if (config['apiVersion'] !== apiVersion || config['kind'] !== kind) {
    throw badRequest(`invalid object type: ${kindText(config)}`);
  }
  if (isList(metadataOf(config).managedFields)) throw badRequest('metadata.managedFields must be nil');
};

interface Checked {
  readonly what: 'patch' | 'live';
  readonly object: JsonObject;
}

const checkType = (atom: Atom, { what, object }: Checked): void => {
  const error = typeError(atom, object, { allowDuplicates: what === 'live' });
  if (error !== undefined) {
    throw plainFailure(`failed to create typed ${what} object (${nameText(object)}): ${error}`);
  }
};

/** The managers before the apply. If an object has no managed fields, the manager `before-first-apply` owns its fields. */
const startingManagers = (live: JsonObject, write: ApplyWrite, versions: Versions): Managers => {
  const managers = decodeManagers(metadataOf(live).managedFields);
  if (managers === undefined) throw plainFailure('failed to decode managed fields');
  if (managers.size > 0) return managers;
  const { apiVersion, subresource, now, empty = noObject } = write;
  const writer = newOwner({ manager: 'before-first-apply', operation: 'Update', apiVersion, subresource });
  return updateManagers({ live: empty, next: live, managers, writer, now }, versions);
};

/**
 * Server-side apply: merges a configuration into the live object and computes the managed fields. For the manager `kubectl`, the
 * function also updates the last-applied annotation, if the object has it.
 *
 * The result has no default for a removed field. The caller fills in defaults. If the result then differs from the live object
 * only in timestamps of managed fields, {@link revertTimestamps} returns the live object.
 *
 * @returns the live object itself when nothing changes; the caller fills in defaults later
 * @throws {StatusError} 409 when another manager owns a changed field and the apply is not forced. Without force, the manager
 * `kubectl` may also take the fields that {@link appliedByClient} returns.
 * @throws {StatusError} 400 when the configuration has another kind or has managed fields
 * @throws {StatusError} 500 when the configuration does not fit the schema, or the stored managed fields are malformed
 * @see k8s.io/apimachinery v0.36.4 pkg/util/managedfields/internal/fieldmanager.go (`Apply`), structuredmerge.go
 */
export const applyConfiguration = (write: ApplyWrite): ServerObject => {
  const { live, config, apiVersion, subresource, force, now, empty = noObject } = write;
  refuseConfig(write);
  const versions = fieldVersions(write);
  const atom = versions.atomOf(apiVersion) ?? {};
  const before: JsonObject = live ?? { ...empty, apiVersion, kind: write.kind };
  const managers = startingManagers(before, write, versions);
  checkType(atom, { what: 'patch', object: config });
  checkType(atom, { what: 'live', object: before });
  const applier = newOwner({ manager: write.manager || 'unknown', operation: 'Apply', apiVersion, subresource });
  const allowed = write.manager === 'kubectl' ? appliedByClient(atom, before, apiVersion) : undefined;
  const applied = applyFields({ live: before, config, managers, applier, force, allowed }, versions);
  const owners = new Map(applied.managers);
  const owner = owners.get(applier.id);
  if (owner !== undefined) {
    const stripped = stripOwner(owner);
    if (stripped.set.length === 0) owners.delete(owner.id);
    else owners.set(owner.id, applied.object === before ? stripped : withSet(stripped, stripped.set, now));
  }
  const object = applied.object as JsonObject;
  const annotated = write.manager === 'kubectl' ? withLastApplied(object, config) : object;
  return withManagedFields(annotated, encodeManagers(owners, live?.metadata.managedFields));
};
