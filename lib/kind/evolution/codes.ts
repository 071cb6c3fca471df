/** The rules for changes of a released definition, by the code of a {@link Change}. */
export const CHANGE_CODES: Readonly<Record<string, string>> = {
  'kind-removed': 'A released kind stays: a prune of its definition deletes all its resources.',
  'scope-changed': 'The scope never changes: an API server refuses it.',
  'kind-renamed': 'The kind of a plural keeps its name, because manifests contain it.',
  'version-removed': 'A served version stays served until no object is stored in it and no manifest names it.',
  'stored-version-removed':
    'A version that may have stored objects stays: the API server refuses a definition without it. Hide it, migrate the objects, then drop it.',
  'stored-too-early':
    'A new version with conversion functions is served for a release before it is stored: the running operator does not have its functions, and until another one runs, every write in the old version fails. Accept it if the resources are applied after the operator is ready.',
  'scale-changed': 'The paths of scale stay, because autoscalers and `kubectl scale` use them.',
  'field-removed': 'A field stays: its stored data would be lost at the next write.',
  'required-added': 'A field does not become required, unless it has a default.',
  'type-changed': 'A field keeps its type: stored values would not fit.',
  'default-changed': 'A default stays: manifests without the field rely on it.',
  'bound-tightened': 'Bounds only widen: accepted values would be refused.',
  'enum-narrowed': 'An enum only gets more values.',
  'null-refused': 'Null stays permitted.',
  'pattern-changed':
    'A pattern must stay or be removed: whether another one accepts the same values cannot be determined.',
  'format-changed': 'A format stays or is removed.',
  'rule-added': 'There are no new rules: stored objects may violate them, and could not be changed any more.',
  'merging-changed': 'The merge strategy of a list or map stays: field managers would lose their fields.',
  'unknown-fields-dropped': 'Unknown fields stay kept.',
  'alternatives-changed':
    'Alternatives must stay or be removed: whether others accept the same values cannot be determined.',
  acceptance: 'A breaking change is accepted with a reason, and only while the change exists.',
};
