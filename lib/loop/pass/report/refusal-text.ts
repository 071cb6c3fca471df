import type { Refusal, RefusalReason } from '#lib/desired/observation.ts';

/**
 * The remedy for each reason of a refusal; the text is the same at every retry. Among several reasons, a message shows only the
 * first one in this order.
 */
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

/**
 * The refusal that a message shows. Its reason is the one that comes first in `remedies`, among the reasons that occur. If several
 * refusals have this reason, the first one in the list is shown.
 */
export const foremost = (refused: readonly Refusal[]): Refusal | undefined =>
  order.flatMap((reason) => refused.find((refusal) => refusal.reason === reason) ?? [])[0];

/** RBAC kinds. The API server can refuse such objects if they grant rights that the operator itself does not have. */
const HANDS_OUT_RIGHTS: ReadonlySet<string> = new Set(['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding']);

const GRANT_REMEDY =
  'the operator lacks this right, or the rights that it would hand out: name the role in `grants` of the Operator construct, and apply the install bundle';

const remedyOf = ({ kind, reason, webhook }: Pick<Refusal, 'kind' | 'reason' | 'webhook'>): string => {
  if (reason === 'Forbidden' && HANDS_OUT_RIGHTS.has(kind)) return GRANT_REMEDY;
  return webhook === undefined
    ? remedies[reason]
    : remedies[reason].replace('an admission webhook', `the admission webhook "${webhook}"`);
};

/** The message of a condition about a refused write: the verb, the kind, and the remedy. */
export const refusalText = (refusal: Refusal): string =>
  `cannot ${refusal.verb} ${refusal.kind}: ${remedyOf(refusal)}; trying again`;

/** The maximum number of names in a message; the message counts the rest. */
const NAMED = 10;

/** The message of a condition about children with names that other objects have: at most 10 names, and the remedy. */
export const conflictText = (held: readonly Refusal[]): string => {
  const names = held.slice(0, NAMED).map(({ kind, name }) => `${kind} "${name}"`);
  const more = held.length > NAMED ? ` and ${held.length - NAMED} more` : '';
  return `name taken by another object: ${names.join(', ')}${more}; delete or rename that object`;
};
