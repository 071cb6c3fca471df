import type { Refusal, RefusalReason } from '#lib/desired/observation.ts';

/** Remedies for refusals; the same text at every try. The first reason in this order is shown. */
const remedies: Readonly<Record<RefusalReason, string>> = {
  NamespaceTerminating: 'the namespace is being deleted',
  Forbidden: 'a right is missing: apply the ClusterRole and the binding of the install bundle',
  AdmissionDenied: 'an admission policy or webhook refuses it: the event names it; change the spec, or the policy',
  Invalid: 'the API server finds the object invalid: the event names the fields; change the spec',
  FieldConflict: 'another field manager owns desired fields: see managedFields, and remove one of the two owners',
  NameConflict: 'another object has this name: delete or rename that object',
  QuotaExceeded: 'a ResourceQuota is used up: raise it, delete objects that it counts, or request less',
  WebhookFailed: 'an admission webhook fails or does not respond: repair it, or remove its configuration',
  Unavailable: 'the API server is busy or cannot be reached',
};

const order = Object.keys(remedies) as readonly RefusalReason[];

/** The most important refusal; among those of one reason, the first by name. */
export const foremost = (refused: readonly Refusal[]): Refusal | undefined =>
  order.flatMap((reason) => refused.find((refusal) => refusal.reason === reason) ?? [])[0];

/** Kinds that grant rights; the API server forbids rights beyond those of the operator, whatever the install bundle contains. */
const HANDS_OUT_RIGHTS: ReadonlySet<string> = new Set(['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding']);

const GRANT_REMEDY =
  'the operator lacks this right, or the rights that it would hand out: name the role in `grants` of the Operator construct, and apply the install bundle';

const remedyOf = ({ kind, reason, webhook }: Pick<Refusal, 'kind' | 'reason' | 'webhook'>): string => {
  if (reason === 'Forbidden' && HANDS_OUT_RIGHTS.has(kind)) return GRANT_REMEDY;
  return webhook === undefined
    ? remedies[reason]
    : remedies[reason].replace('an admission webhook', `the admission webhook "${webhook}"`);
};

/** For the message of a condition: the failed write, the reason, and the remedy. */
export const refusalText = (refusal: Refusal): string =>
  `cannot ${refusal.verb} ${refusal.kind}: ${remedyOf(refusal)}; trying again`;

/** How many names a message has; the rest is counted. */
const NAMED = 10;

/** For the message of a condition: the names that other objects have, and the remedy. */
export const conflictText = (held: readonly Refusal[]): string => {
  const names = held.slice(0, NAMED).map(({ kind, name }) => `${kind} "${name}"`);
  const more = held.length > NAMED ? ` and ${held.length - NAMED} more` : '';
  return `name taken by another object: ${names.join(', ')}${more}; delete or rename that object`;
};
