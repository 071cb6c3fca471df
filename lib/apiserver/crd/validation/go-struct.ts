import { goJson, Verbatim } from '#lib/apiserver/machinery/text/go-text.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';

/** A member of a Go struct: its name in Go, its name in JSON, and its printed form. */
type Member = readonly [goName: string, jsonName: string, form: Form];

/** The text for an absent member, and the function that prints a present member. */
interface Form {
  readonly missing: string;
  write(value: unknown): string;
}

const plain = (missing: string): Form => ({ missing, write: goJson });

const text = plain('""');
const flag = plain('false');
const pointer = plain('null');
const json: Form = pointer;

const struct = (members: () => readonly Member[]): Form => ({
  missing: 'null',
  write: (value) => writeStruct(isPlainObject(value) ? value : {}, members()),
});

const listOf = (form: Form): Form => ({
  missing: 'null',
  write: (value) => (Array.isArray(value) ? `[${value.map((item) => form.write(item)).join(',')}]` : 'null'),
});

const mapOf = (form: Form): Form => ({
  missing: 'null',
  write(value) {
    if (!isPlainObject(value)) return 'null';
    const names = Object.keys(value).toSorted();
    return `{${names.map((name) => `${goJson(name)}:${form.write(value[name])}`).join(',')}}`;
  },
});

const writeStruct = (object: JsonObject, members: readonly Member[]): string => {
  const parts = members.map(([goName, jsonName, form]) => {
    const value = object[jsonName];
    return `"${goName}":${value === undefined || value === null ? form.missing : form.write(value)}`;
  });
  return `{${parts.join(',')}}`;
};

const RULE: readonly Member[] = [
  ['Rule', 'rule', text],
  ['Message', 'message', text],
  ['MessageExpression', 'messageExpression', text],
  ['Reason', 'reason', pointer],
  ['FieldPath', 'fieldPath', text],
  ['OptionalOldSelf', 'optionalOldSelf', pointer],
];

const schema = struct(() => SCHEMA);

const schemaOrFlag: Form = {
  missing: 'null',
  write: (value) =>
    typeof value === 'boolean'
      ? `{"Allows":${value},"Schema":null}`
      : `{"Allows":true,"Schema":${schema.write(value)}}`,
};

const schemaOrList: Form = {
  missing: 'null',
  write: (value) =>
    Array.isArray(value)
      ? `{"Schema":null,"JSONSchemas":${listOf(schema).write(value)}}`
      : `{"Schema":${schema.write(value)},"JSONSchemas":null}`,
};

const EXTERNAL_DOCS: readonly Member[] = [
  ['Description', 'description', text],
  ['URL', 'url', text],
];

const SCHEMA: readonly Member[] = [
  ['ID', 'id', text],
  ['Schema', '$schema', text],
  ['Ref', '$ref', pointer],
  ['Description', 'description', text],
  ['Type', 'type', text],
  ['Nullable', 'nullable', flag],
  ['Format', 'format', text],
  ['Title', 'title', text],
  ['Default', 'default', json],
  ['Maximum', 'maximum', pointer],
  ['ExclusiveMaximum', 'exclusiveMaximum', flag],
  ['Minimum', 'minimum', pointer],
  ['ExclusiveMinimum', 'exclusiveMinimum', flag],
  ['MaxLength', 'maxLength', pointer],
  ['MinLength', 'minLength', pointer],
  ['Pattern', 'pattern', text],
  ['MaxItems', 'maxItems', pointer],
  ['MinItems', 'minItems', pointer],
  ['UniqueItems', 'uniqueItems', flag],
  ['MultipleOf', 'multipleOf', pointer],
  ['Enum', 'enum', pointer],
  ['MaxProperties', 'maxProperties', pointer],
  ['MinProperties', 'minProperties', pointer],
  ['Required', 'required', pointer],
  ['Items', 'items', schemaOrList],
  ['AllOf', 'allOf', listOf(schema)],
  ['OneOf', 'oneOf', listOf(schema)],
  ['AnyOf', 'anyOf', listOf(schema)],
  ['Not', 'not', schema],
  ['Properties', 'properties', mapOf(schema)],
  ['AdditionalProperties', 'additionalProperties', schemaOrFlag],
  ['PatternProperties', 'patternProperties', mapOf(schema)],
  ['Dependencies', 'dependencies', json],
  ['AdditionalItems', 'additionalItems', schemaOrFlag],
  ['Definitions', 'definitions', mapOf(schema)],
  ['ExternalDocs', 'externalDocs', struct(() => EXTERNAL_DOCS)],
  ['Example', 'example', json],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', pointer],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', flag],
  ['XIntOrString', 'x-kubernetes-int-or-string', flag],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', pointer],
  ['XListType', 'x-kubernetes-list-type', pointer],
  ['XMapType', 'x-kubernetes-map-type', pointer],
  ['XValidations', 'x-kubernetes-validations', listOf(struct(() => RULE))],
];

const SCALE: readonly Member[] = [
  ['SpecReplicasPath', 'specReplicasPath', text],
  ['StatusReplicasPath', 'statusReplicasPath', text],
  ['LabelSelectorPath', 'labelSelectorPath', pointer],
];

const SUBRESOURCES: readonly Member[] = [
  ['Status', 'status', struct(() => [])],
  ['Scale', 'scale', struct(() => SCALE)],
];

const COLUMN: readonly Member[] = [
  ['Name', 'name', text],
  ['Type', 'type', text],
  ['Format', 'format', text],
  ['Description', 'description', text],
  ['Priority', 'priority', plain('0')],
  ['JSONPath', 'jsonPath', text],
];

const VERSION: readonly Member[] = [
  ['Name', 'name', text],
  ['Served', 'served', flag],
  ['Storage', 'storage', flag],
  ['Deprecated', 'deprecated', flag],
  ['DeprecationWarning', 'deprecationWarning', pointer],
  ['Schema', 'schema', struct(() => [['OpenAPIV3Schema', 'openAPIV3Schema', schema]])],
  ['Subresources', 'subresources', struct(() => SUBRESOURCES)],
  ['AdditionalPrinterColumns', 'additionalPrinterColumns', listOf(struct(() => COLUMN))],
  ['SelectableFields', 'selectableFields', listOf(struct(() => [['JSONPath', 'jsonPath', text]]))],
];

const verbatim =
  (form: Form) =>
  (value: unknown): Verbatim =>
    new Verbatim(form.write(value));

/**
 * Formats a schema as the messages of the real server show it: as the internal Go struct.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apis/apiextensions/types_jsonschema.go
 */
export const shownSchema = verbatim(schema);
/** Formats a rule of a schema as the internal Go struct. */
export const shownRule = verbatim(struct(() => RULE));
/** Formats all versions of a CRD as internal Go structs. */
export const shownVersions = verbatim(listOf(struct(() => VERSION)));
