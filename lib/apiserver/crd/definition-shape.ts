import type { DecodedMember, DecodeShape } from './decode-shape.ts';

const text: DecodeShape = { kind: 'text' };
const flag: DecodeShape = { kind: 'flag' };
const int32: DecodeShape = { kind: 'int32' };
const int64: DecodeShape = { kind: 'int64' };
const float: DecodeShape = { kind: 'float64' };
const json: DecodeShape = { kind: 'json' };
const list = (items: DecodeShape): DecodeShape => ({ kind: 'list', items });
const map = (values: DecodeShape): DecodeShape => ({ kind: 'map', values });
const namedMap = (name: string, values: DecodeShape): DecodeShape => ({ kind: 'map', values, name });

type Shapes = Readonly<Record<string, DecodeShape>>;

const membersOf = (
  shapes: Shapes,
  more: (shape: DecodeShape) => Omit<DecodedMember, 'shape'>,
): readonly (readonly [string, DecodedMember])[] =>
  Object.entries(shapes).map(([key, shape]) => [key, { shape, ...more(shape) }]);

/**
 * Creates the form of a struct. Decoding drops zero values of the members in `omitted`, keeps zero values of those in `kept`, and
 * adds absent texts and flags in `written`.
 */
const struct = (
  name: string,
  omitted: () => Shapes,
  kept: () => Shapes = () => ({}),
  written: Shapes = {},
): DecodeShape => {
  let members: Readonly<Record<string, DecodedMember>> | undefined;
  return {
    kind: 'struct',
    name,
    members() {
      members ??= Object.fromEntries([
        ...membersOf(omitted(), () => ({ keepsZero: false })),
        ...membersOf(kept(), () => ({ keepsZero: true })),
        ...membersOf(written, ({ kind }) => ({ keepsZero: true, zero: kind === 'text' ? '' : false })),
      ]);
      return members;
    },
  };
};

const rule = struct(
  'ValidationRule',
  () => ({ message: text, messageExpression: text, fieldPath: text }),
  () => ({ reason: text, optionalOldSelf: flag }),
  { rule: text },
);

const schemaOrFlag: DecodeShape = {
  kind: 'either',
  choose: (value) => (typeof value === 'boolean' ? flag : schema),
};

const schemaOrList: DecodeShape = {
  kind: 'either',
  choose: (value) => (Array.isArray(value) ? list(schema) : schema),
};

const schemaOrNames: DecodeShape = {
  kind: 'either',
  choose: (value) => (Array.isArray(value) ? list(text) : schema),
};

/**
 * The form of a schema in a CRD.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apis/apiextensions/v1/types_jsonschema.go
 */
const schema: DecodeShape = struct(
  'JSONSchemaProps',
  () => ({
    id: text,
    $schema: text,
    description: text,
    type: text,
    format: text,
    title: text,
    exclusiveMaximum: flag,
    exclusiveMinimum: flag,
    pattern: text,
    uniqueItems: flag,
    enum: list(json),
    required: list(text),
    allOf: list(schema),
    oneOf: list(schema),
    anyOf: list(schema),
    properties: map(schema),
    patternProperties: map(schema),
    dependencies: namedMap('JSONSchemaDependencies', schemaOrNames),
    definitions: namedMap('JSONSchemaDefinitions', schema),
    nullable: flag,
    'x-kubernetes-embedded-resource': flag,
    'x-kubernetes-int-or-string': flag,
    'x-kubernetes-list-map-keys': list(text),
    'x-kubernetes-validations': list(rule),
  }),
  () => ({
    $ref: text,
    default: json,
    maximum: float,
    minimum: float,
    maxLength: int64,
    minLength: int64,
    maxItems: int64,
    minItems: int64,
    multipleOf: float,
    maxProperties: int64,
    minProperties: int64,
    items: schemaOrList,
    not: schema,
    additionalProperties: schemaOrFlag,
    additionalItems: schemaOrFlag,
    externalDocs: struct('ExternalDocumentation', () => ({ description: text, url: text })),
    example: json,
    'x-kubernetes-preserve-unknown-fields': flag,
    'x-kubernetes-list-type': text,
    'x-kubernetes-map-type': text,
  }),
);

const names = struct(
  'CustomResourceDefinitionNames',
  () => ({ singular: text, shortNames: list(text), listKind: text, categories: list(text) }),
  () => ({}),
  { plural: text, kind: text },
);

const scale = struct(
  'CustomResourceSubresourceScale',
  () => ({}),
  () => ({ labelSelectorPath: text }),
  { specReplicasPath: text, statusReplicasPath: text },
);

const column = struct(
  'CustomResourceColumnDefinition',
  () => ({ format: text, description: text, priority: int32 }),
  () => ({}),
  { name: text, type: text, jsonPath: text },
);

const version = struct(
  'CustomResourceDefinitionVersion',
  () => ({
    deprecated: flag,
    additionalPrinterColumns: list(column),
    selectableFields: list(
      struct(
        'SelectableField',
        () => ({}),
        () => ({}),
        { jsonPath: text },
      ),
    ),
  }),
  () => ({
    deprecationWarning: text,
    schema: struct(
      'CustomResourceValidation',
      () => ({}),
      () => ({ openAPIV3Schema: schema }),
    ),
    subresources: struct(
      'CustomResourceSubresources',
      () => ({}),
      () => ({ status: struct('CustomResourceSubresourceStatus', () => ({})), scale }),
    ),
  }),
  { name: text, served: flag, storage: flag },
);

const spec = struct(
  'CustomResourceDefinitionSpec',
  () => ({ preserveUnknownFields: flag }),
  () => ({
    names,
    versions: list(version),
    conversion: struct(
      'CustomResourceConversion',
      () => ({}),
      () => ({ strategy: text, webhook: json }),
    ),
  }),
  { group: text, scope: text },
);

const condition = struct(
  'CustomResourceDefinitionCondition',
  () => ({ reason: text, message: text }),
  () => ({ lastTransitionTime: text }),
  { type: text, status: text },
);

const status = struct(
  'CustomResourceDefinitionStatus',
  () => ({}),
  () => ({ conditions: list(condition), acceptedNames: names, storedVersions: list(text) }),
);

/**
 * The form of a CustomResourceDefinition, without its metadata.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apis/apiextensions/v1/types.go
 */
export const definitionShape: DecodeShape = struct(
  'CustomResourceDefinition',
  () => ({}),
  () => ({ apiVersion: text, kind: text, metadata: json, spec, status }),
);
