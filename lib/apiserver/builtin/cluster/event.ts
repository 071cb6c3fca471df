import { invalidValue, required } from '#lib/apiserver/machinery/field-error.ts';
import { objectIn, textIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isDns1123Subdomain, isQualifiedName } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors } from '#lib/apiserver/machinery/validation/field.ts';
import type { BuiltinKind } from '../strategy.ts';

const mismatch = (namespace: string): FieldErrors => [
  invalidValue('involvedObject.namespace', namespace, 'does not match event.namespace'),
];

const checkPlainNamespace = (event: ServerObject): FieldErrors => {
  const { namespace = '' } = event.metadata;
  const involved = textIn(objectIn(event, 'involvedObject'), 'namespace');
  const isSame = involved === '' ? namespace === '' || namespace === 'default' : namespace === involved;
  return isSame ? [] : mismatch(involved);
};

const lengthLimits: readonly (readonly [string, number])[] = [
  ['reportingInstance', 128],
  ['action', 128],
  ['reason', 128],
];

/** Checks an event of the newer form, which has an event time and requires more members. */
const checkNewForm = (event: ServerObject): FieldErrors => {
  const { namespace = '' } = event.metadata;
  const involved = textIn(objectIn(event, 'involvedObject'), 'namespace');
  const isSame = involved !== '' || namespace === 'default' || namespace === 'kube-system';
  const reporter = textIn(event, 'reportingComponent');
  const isLong = textIn(event, 'message').length > 1024;
  return [
    ...(isSame ? [] : mismatch(involved)),
    ...(reporter === '' ? [required('reportingComponent')] : []),
    ...checkText('reportingComponent', reporter, isQualifiedName),
    ...lengthLimits.flatMap(([name, limit]) => {
      const { length } = textIn(event, name);
      return [
        ...(length === 0 ? [required(name)] : []),
        ...(length > limit ? [invalidValue(name, '', `can have at most ${limit} characters`)] : []),
      ];
    }),
    ...(isLong ? [invalidValue('message', '', 'can have at most 1024 characters')] : []),
  ];
};

const check = (event: ServerObject): FieldErrors => [
  ...(typeof event['eventTime'] === 'string' ? checkNewForm(event) : checkPlainNamespace(event)),
  ...checkText('namespace', event.metadata.namespace ?? '', isDns1123Subdomain),
];

/**
 * The built-in kind Event of the core group.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/events.go (`legacyValidateEvent`)
 */
export const eventKind: BuiltinKind = {
  group: '',
  kind: 'Event',
  plural: 'events',
  strategy: {
    check,
    checkUpdate: check,
    allowsCreateOnUpdate: true,
    selectableFields: [
      'involvedObject.kind',
      'involvedObject.namespace',
      'involvedObject.name',
      'involvedObject.uid',
      'involvedObject.apiVersion',
      'involvedObject.resourceVersion',
      'involvedObject.fieldPath',
      'reason',
      'reportingComponent',
      'source',
      'type',
    ],
    // See k8s.io/kubernetes v1.36.4 pkg/registry/core/event/strategy.go (`ToSelectableFields`).
    selectableValue: (event, field) =>
      field === 'source'
        ? textIn(objectIn(event, 'source'), 'component') || textIn(event, 'reportingComponent')
        : undefined,
  },
};
