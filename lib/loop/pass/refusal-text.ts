import type { Refusal, RefusalReason } from '#lib/desired/observation.ts';

/** What a person can do about a refusal; the same text at every try. In the order in which they are told. */
const remedies: Readonly<Record<RefusalReason, string>> = {
  NamespaceTerminating: 'the namespace is being deleted',
  Forbidden: 'a right is missing: apply the ClusterRole and the binding of the install bundle',
  AdmissionDenied: 'an admission policy or webhook is against it: the event says which; change the spec, or the policy',
  Invalid: 'the API server finds the object invalid: the event names the fields; change the spec',
  FieldConflict: 'another field manager owns fields that are wanted: see managedFields, and let one of the two go',
  NameConflict: 'the name is held by somebody else: delete or rename what has it',
  QuotaExceeded: 'a ResourceQuota is used up: raise it, delete what it counts, or ask for less',
  Unavailable: 'the API server is busy or cannot be reached',
};

const order = Object.keys(remedies) as readonly RefusalReason[];

/** The refusal that says most; of the same sort the first by name. */
export const foremost = (refused: readonly Refusal[]): Refusal | undefined =>
  order.flatMap((reason) => refused.find((refusal) => refusal.reason === reason) ?? [])[0];

/** For the message of a condition: what cannot be done, why, and what helps. */
export const refusalText = ({ verb, kind, reason }: Refusal): string =>
  `cannot ${verb} ${kind}: ${remedies[reason]}; trying again`;

/** So many names stand in a message; the rest is counted. */
const NAMED = 10;

/** For the message of a condition: which names somebody else holds, and what helps. */
export const conflictText = (held: readonly Refusal[]): string => {
  const names = held.slice(0, NAMED).map(({ kind, name }) => `${kind} "${name}"`);
  const more = held.length > NAMED ? ` and ${held.length - NAMED} more` : '';
  return `held by somebody else: ${names.join(', ')}${more}; delete or rename what has the name`;
};
