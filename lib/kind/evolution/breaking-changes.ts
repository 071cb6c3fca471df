import { equalJson } from '#lib/json.ts';
import type { CrdVersion, CustomResourceDefinition } from '../crd.ts';
import type { Change } from './change.ts';
import { compareSchemas } from './compare-schemas.ts';

/** A version of a CRD that another compiler wrote may have no subresources. */
type ReleasedVersion = Omit<CrdVersion, 'subresources'> & Partial<Pick<CrdVersion, 'subresources'>>;

const scaleChanged = (before: ReleasedVersion, after: CrdVersion): Change[] => {
  const scale = before.subresources?.scale;
  if (scale === undefined || equalJson(scale, after.subresources.scale)) return [];
  const message = 'the subresource scale is gone or means other fields: kubectl scale and autoscalers break';
  return [{ rule: 'scale-changed', path: '', message, fix: 'keep the paths of scale' }];
};

const compareVersions = (before: CrdVersion, after: CrdVersion | undefined): Change[] => {
  if (after === undefined || !after.served) {
    const message = `version ${before.name} is not served any more: manifests and programs that name it break`;
    return [{ rule: 'version-removed', path: '', message, fix: 'go on serving it, marked as deprecated' }];
  }
  const schemas = { before: before.schema.openAPIV3Schema, after: after.schema.openAPIV3Schema };
  return [...scaleChanged(before, after), ...compareSchemas({ path: '', ...schemas })];
};

/** A CustomResourceDefinition, with its status if it was read from a cluster. */
type FromCluster = CustomResourceDefinition & { readonly status?: { readonly storedVersions?: readonly string[] } };

/**
 * Finds removed versions in which objects may be stored. The API server refuses to remove such a version, because it could no
 * longer read these objects.
 */
const storedVersionsGone = (before: FromCluster, after: CustomResourceDefinition): Change[] => {
  const stored =
    before.status?.storedVersions ?? before.spec.versions.filter(({ storage }) => storage).map(({ name }) => name);
  const known = new Set(after.spec.versions.map(({ name }) => name));
  return stored
    .filter((name) => !known.has(name))
    .map((name) => ({
      rule: 'stored-version-removed',
      path: '',
      message: `version ${name} is gone, and objects are stored in it: the API server refuses the definition`,
      fix: `keep ${name} in versions for a release (served: false hides it), migrate the stored objects (docs/versions.md), then drop it`,
    }));
};

/**
 * Finds a new version that becomes the storage version in the same release, if the kind has a conversion webhook. The API server
 * then calls the conversion webhook for every write in the old version. Only the new operator can convert the object. Some GitOps
 * tools, such as one Kustomization of Flux, dry-run the resources before they apply the Deployment of the new operator. Such a
 * tool fails in the dry run, and never applies the Deployment.
 */
const storedTooEarly = (before: CustomResourceDefinition, after: CustomResourceDefinition): Change[] => {
  const stored = after.spec.versions.find(({ storage }) => storage)?.name ?? '';
  if (after.spec.conversion === undefined || before.spec.versions.some(({ name }) => name === stored)) return [];
  const old = before.spec.versions.find(({ storage }) => storage)?.name ?? '';
  const message = `version ${stored} is new and stored at once: until the new operator runs, every write in ${old} fails, and one Flux Kustomization with resources never lets it run`;
  const fix = `keep ${old} as the version of the definition for one release, with ${stored} in versions (docs/versions.md)`;
  return [{ rule: 'stored-too-early', path: '', message, fix }];
};

/**
 * Lists the changes from a released CustomResourceDefinition to its replacement that break stored objects, manifests, or programs
 * that read the objects. The list does not contain compatible changes, such as a new optional field.
 *
 * @param before - the released CustomResourceDefinition
 * @param after - its replacement, with the same name
 * @returns the breaking changes; empty when the replacement is compatible
 * @see https://kubernetes.io/docs/reference/using-api/deprecation-policy/
 * @example
 * breakingChanges(released, compileCrd(podSet)).map(({ path, message }) => `${path}: ${message}`);
 */
export const breakingChanges = (before: CustomResourceDefinition, after: CustomResourceDefinition): Change[] => {
  const { scope, names } = after.spec;
  const identity: Change[] = [];
  if (before.spec.scope !== scope) {
    const message = `the scope is ${scope}, it was ${before.spec.scope}: the API server refuses the change`;
    identity.push({ rule: 'scope-changed', path: '', message, fix: 'choose another kind' });
  }
  if (before.spec.names.kind !== names.kind) {
    const message = `the kind is ${names.kind}, it was ${before.spec.names.kind}: manifests break`;
    identity.push({ rule: 'kind-renamed', path: '', message, fix: 'choose another plural, too' });
  }
  const gone = storedVersionsGone(before, after);
  const versions = before.spec.versions.filter(({ served }) => served);
  return [
    ...identity,
    ...gone,
    ...storedTooEarly(before, after),
    ...versions.flatMap((old) =>
      compareVersions(
        old,
        after.spec.versions.find(({ name }) => name === old.name),
      ),
    ),
  ];
};
