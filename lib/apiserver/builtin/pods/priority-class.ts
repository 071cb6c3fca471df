import { forbiddenField } from '#lib/apiserver/machinery/field-error.ts';
import { withGeneration } from '#lib/apiserver/machinery/generation.ts';
import { numberIn, textIn, withDefaults } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { AdmissionRequest, ServerView } from '#lib/apiserver/machinery/served-kind.ts';
import { forbidden } from '#lib/apiserver/machinery/status.ts';
import { isDns1123Subdomain } from '#lib/apiserver/machinery/validation/content.ts';
import { type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';
import type { BuiltinKind } from '../strategy.ts';
import { checkKnown } from '../validation/field.ts';
import { checkImmutable, checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';

/** The default preemption policy of PriorityClasses. Pods to which no priority class applies also get this policy. */
export const PREEMPTS = 'PreemptLowerPriority';

const HIGHEST_PRIORITY = 1_000_000_000;

const SYSTEM_PREFIX = 'system-';

const systemClass = (name: string, value: number, description: string) => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
  description,
});

/**
 * The PriorityClasses that the API server itself creates.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/scheduling/v1/helpers.go (`systemPriorityClasses`)
 */
export const systemPriorityClasses: readonly ReturnType<typeof systemClass>[] = [
  systemClass(
    'system-node-critical',
    2_000_001_000,
    'Used for system critical pods that must not be moved from their current node.',
  ),
  systemClass(
    'system-cluster-critical',
    2_000_000_000,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ),
];

const isDefault = (priorityClass: ServerObject): boolean => priorityClass['globalDefault'] === true;

/** The reason why a class with the name prefix of system classes is not a system class; `undefined` if it is one. */
const strangeSystemClass = (given: ServerObject): string | undefined => {
  const { name } = given.metadata;
  const known = systemPriorityClasses.find(({ metadata }) => metadata.name === name);
  if (known === undefined) return `${name} is not a known system priority class`;
  const value = numberIn(known, 'value');
  if (numberIn(given, 'value') !== value) return `value of ${name} PriorityClass must be ${value}`;
  return isDefault(given) ? `globalDefault of ${name} PriorityClass must be false` : undefined;
};

const checkValue = (given: ServerObject): FieldErrors => {
  if (!given.metadata.name.startsWith(SYSTEM_PREFIX)) {
    return numberIn(given, 'value') > HIGHEST_PRIORITY
      ? [forbiddenField('value', `maximum allowed value of a user defined priority is ${HIGHEST_PRIORITY}`)]
      : fine;
  }
  const problem = strangeSystemClass(given);
  const reserved = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only`;
  return problem === undefined ? fine : [forbiddenField('metadata.name', `${reserved}. error: ${problem}`)];
};

/** The class of pods without a class: the class with `globalDefault` and the lowest value; `undefined` if there is none. */
export const defaultPriorityClass = (view: ServerView): ServerObject | undefined =>
  view
    .objects(resources.priorityClasses)
    .filter(isDefault)
    .toSorted((a, b) => numberIn(a, 'value') - numberIn(b, 'value'))[0];

/** The class with a name; `undefined` if there is none. The classes of the system exist in every cluster. */
export const priorityClassNamed = (wanted: string, view: ServerView): JsonObject | undefined =>
  view.objects(resources.priorityClasses).find(({ metadata }) => metadata.name === wanted) ??
  systemPriorityClasses.find(({ metadata }) => metadata.name === wanted);

/** Refuses a second default class. @see k8s.io/kubernetes v1.36.4 plugin/pkg/admission/priority/admission.go */
const admit = ({ operation, object }: AdmissionRequest, view: ServerView): void => {
  if (operation === 'delete' || !isDefault(object)) return;
  const other = defaultPriorityClass(view)?.metadata.name;
  const { name } = object.metadata;
  if (other === undefined || (operation === 'update' && other === name)) return;
  const { group, plural } = resources.priorityClasses;
  throw forbidden(
    { group, kind: plural, name },
    `PriorityClass ${other} is already marked as default. Only one default can exist`,
  );
};

/**
 * PriorityClasses. The admission of pods reads them.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/scheduling/validation/validation.go
 */
export const priorityClassKind: BuiltinKind = {
  group: 'scheduling.k8s.io',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  scope: 'Cluster',
  strategy: {
    setDefaults: (object) => withDefaults(object, { preemptionPolicy: PREEMPTS }) as ServerObject,
    prepareForCreate: (object) => withGeneration(object, 1),
    prepareForUpdate: (object) => object,
    check: (object) => [
      ...checkMetadata(object, { check: isDns1123Subdomain, isNamespaced: false }),
      ...checkValue(object),
      ...checkKnown('preemptionPolicy', textIn(object, 'preemptionPolicy'), [PREEMPTS, 'Never']),
    ],
    checkUpdate: (object, old) => [
      ...checkMetadataUpdate(object, old),
      ...(object['value'] === old['value'] ? fine : [forbiddenField('value', 'may not be changed in an update.')]),
      ...checkImmutable('preemptionPolicy', object['preemptionPolicy'], old['preemptionPolicy']),
    ],
    admit,
  },
};
