/** What may not happen to a definition that was released, by code. */
export const CHANGE_CODES: Readonly<Record<string, string>> = {
  'kind-removed': 'A kind that was released stays: pruning its definition deletes all its resources.',
  'scope-changed': 'The scope never changes: an API server refuses it.',
  'kind-renamed': 'The kind behind a plural keeps its name: manifests say it.',
  'version-removed':
    'A version that was served is served on, until no object is stored in it and no manifest names it.',
  'stored-version-removed':
    'A version that objects may be stored in stays: the API server refuses a definition without it. Hide it, migrate the objects, then drop it.',
  'stored-too-early':
    'A new version with conversion functions is served for a release before it is stored: the operator that runs does not know its functions, and until another one runs every write in the old version fails. Accept it where the resources are applied after the operator is ready.',
  'scale-changed': 'The paths of scale stay: autoscalers and `kubectl scale` go by them.',
  'field-removed': 'A field stays: what is stored in it would be lost at the next write.',
  'required-added': 'A field is not required from one release to the next, unless a default fills it in.',
  'type-changed': 'A field keeps its type: what is stored would not fit.',
  'default-changed': 'A default stays: manifests that leave the field out mean it.',
  'bound-tightened': 'Bounds only widen: values that were accepted would be refused.',
  'enum-narrowed': 'Values of an enum only grow.',
  'null-refused': 'Null stays allowed where it was.',
  'pattern-changed':
    'A pattern must stay or be removed: whether another one accepts the same values cannot be determined.',
  'format-changed': 'A format stays or goes.',
  'rule-added': 'No new rules: objects that are stored may break them, and can then not be changed any more.',
  'merging-changed': 'How a list or map is merged stays: field managers would lose what they own.',
  'unknown-fields-dropped': 'Unknown fields that were kept are kept.',
  'alternatives-changed':
    'Alternatives must stay or be removed: whether others accept the same values cannot be determined.',
  acceptance: 'A breaking change is accepted with a reason, and only while there is such a change.',
};
