import { withGeneration } from '#lib/apiserver/machinery/generation.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { Decoded, Strategy } from '#lib/apiserver/machinery/served-kind.ts';
import { badRequest, type StatusError } from '#lib/apiserver/machinery/status.ts';
import { decodeObjectMeta } from '#lib/apiserver/schema/decode-object-meta.ts';
import { equalJson, isPlainObject, type JsonObject } from '#lib/json.ts';
import { decodeShape, type Shaped, ShapeError } from './decode-shape.ts';
import { type DefinitionSpec, definitionStatus, specOf } from './definition.ts';
import { definitionShape } from './definition-shape.ts';
import { validateDefinition, validateDefinitionUpdate } from './validation/validate-definition.ts';

const KIND = 'CustomResourceDefinition';

const cannotHandle = (why: string): StatusError =>
  badRequest(`${KIND} in version "v1" cannot be handled as a ${KIND}: ${why}`);

const shaped = (body: JsonObject): Shaped => {
  try {
    return decodeShape(body, definitionShape);
  } catch (error) {
    if (error instanceof ShapeError) throw cannotHandle(error.message);
    throw error;
  }
};

/** Adds the member `metadata` to the position in an error of Go's decoder, as the decoder of a whole CRD does. */
const withMember = (problem: string): string =>
  problem
    .replace(' ObjectMeta.', ' ObjectMeta.metadata.')
    .replace('Go value of type v1.ObjectMeta', `Go struct field ${KIND}.metadata of type v1.ObjectMeta`);

const decode = (body: JsonObject): Decoded => {
  const meta = decodeObjectMeta(body['metadata']);
  if ('problem' in meta) throw cannotHandle(withMember(meta.problem));
  const { value, unknownFields } = shaped(body);
  const object = isPlainObject(value) ? value : {};
  const spec = isPlainObject(object['spec']) ? object['spec'] : {};
  return {
    // In Go, a struct always exists, even if the request does not contain it.
    object: { ...object, metadata: meta.metadata, spec: { ...spec, names: spec['names'] ?? {} } },
    unknownFields: [...meta.unknownFields.map((name) => `metadata.${name}`), ...unknownFields],
  };
};

const withNames = (spec: DefinitionSpec): DefinitionSpec => {
  const { names } = spec;
  const { kind, singular = '', listKind = '' } = names;
  return {
    ...spec,
    names: {
      ...names,
      ...(singular === '' && kind !== '' && { singular: kind.toLowerCase() }),
      ...(listKind === '' && kind !== '' && { listKind: `${kind}List` }),
    },
    conversion: spec.conversion ?? { strategy: 'None' },
  };
};

const storageVersionOf = ({ versions }: DefinitionSpec): string | undefined =>
  versions.find(({ storage }) => storage)?.name;

const withStoredVersion = (definition: ServerObject): ServerObject => {
  const status = definitionStatus(definition);
  const stored = status.storedVersions ?? [];
  const version = storageVersionOf(specOf(definition));
  if (version === undefined || stored.includes(version)) return definition;
  return { ...definition, status: { ...status, storedVersions: [...stored, version] } };
};

/** @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apis/apiextensions/v1/defaults.go */
const setDefaults = (definition: ServerObject): ServerObject => {
  const spec = specOf(definition);
  const filled = withNames(spec);
  const status = definitionStatus(definition);
  const conditions = status.conditions ?? null;
  const next = {
    ...definition,
    spec: equalJson(filled, definition['spec']) ? definition['spec'] : filled,
    status: { ...status, conditions, acceptedNames: { plural: '', kind: '', ...status.acceptedNames } },
  };
  return (status.storedVersions ?? []).length > 0 ? next : withStoredVersion(next);
};

const freshStatus = { conditions: null, acceptedNames: { plural: '', kind: '' } };

const prepareUpdate = (definition: ServerObject, old: ServerObject): ServerObject => {
  const { generation = 0 } = old.metadata;
  const raised = equalJson(definition['spec'], old['spec']) ? generation : generation + 1;
  return withGeneration(withStoredVersion({ ...definition, status: old['status'] }), raised);
};

/** Restores the spec and the generation. As on the real server, the status subresource may change labels and annotations, too. */
const prepareStatusUpdate = (definition: ServerObject, old: ServerObject): ServerObject =>
  withGeneration({ ...definition, spec: old['spec'] }, old.metadata.generation ?? 0);

/**
 * The strategy of CustomResourceDefinitions.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/registry/customresourcedefinition/strategy.go
 */
export const definitionStrategy: Strategy = {
  decode,
  setDefaults,
  prepareForCreate: (definition) => withGeneration(withStoredVersion({ ...definition, status: freshStatus }), 1),
  prepareForUpdate: (definition, old, { subresource }) =>
    subresource === 'status' ? prepareStatusUpdate(definition, old) : prepareUpdate(definition, old),
  validateCreate: (definition) => validateDefinition(definition),
  validateUpdate: (definition, old, { subresource }) =>
    subresource === 'status' ? [] : validateDefinitionUpdate(definition, old),
  resetFields: { '': [['status']], status: [['spec']] },
  allowsUnconditionalUpdate: false,
  allowsCreateOnUpdate: false,
};
