import { invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import { mapMember, objectIn, withMember } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isDns1123Subdomain } from '#lib/apiserver/machinery/validation/content.ts';
import type { FieldErrors } from '#lib/apiserver/machinery/validation/field.ts';
import { validateObjectMetaUpdate } from '#lib/apiserver/machinery/validation/object-meta.ts';
import type { JsonObject } from '#lib/json.ts';
import type { BuiltinKind } from '../strategy.ts';
import { checkAnyMetadata } from '../validation/object-meta.ts';

/** Drops the fields of coordinated leader election, because its feature gate is disabled by default. */
const withoutCoordination = (lease: ServerObject): ServerObject =>
  mapMember(lease, 'spec', (spec) =>
    withMember(withMember(spec, 'strategy', undefined), 'preferredHolder', undefined),
  ) as ServerObject;

const checkSpec = ({ leaseDurationSeconds: duration, leaseTransitions: transitions }: JsonObject): FieldErrors => [
  ...(typeof duration === 'number' && duration <= 0
    ? [invalidValue('spec.leaseDurationSeconds', duration, 'must be greater than 0')]
    : []),
  ...(typeof transitions === 'number' && transitions < 0
    ? [invalidValue('spec.leaseTransitions', transitions, 'must be greater than or equal to 0')]
    : []),
];

/**
 * The built-in kind Lease.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/coordination/validation/validation.go (`ValidateLease`)
 */
export const leaseKind: BuiltinKind = {
  group: 'coordination.k8s.io',
  kind: 'Lease',
  plural: 'leases',
  strategy: {
    prepareForCreate: withoutCoordination,
    prepareForUpdate: withoutCoordination,
    check: (lease) => [
      ...checkAnyMetadata(lease, { check: isDns1123Subdomain }),
      ...checkSpec(objectIn(lease, 'spec')),
    ],
    checkUpdate: (lease, old) => [
      ...validateObjectMetaUpdate(lease.metadata, old.metadata),
      ...checkSpec(objectIn(lease, 'spec')),
    ],
    allowsCreateOnUpdate: true,
    allowsUnconditionalUpdate: false,
  },
};
