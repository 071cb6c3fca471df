/**
 * Why a resource wants a look, most urgent first. `deletion`: it is on its way out, or gone. `user`: it was created, or its
 * spec or metadata changed. `child`: something that it owns or reads changed, an instant came, an effect ended.
 * `unseen`: it was there at the start, and its status does not know its spec yet: it was created or edited while no operator was there.
 * `resync`: nothing is known to have changed (the first list, another try after a failure).
 */
export const priorities = ['deletion', 'user', 'child', 'unseen', 'resync'] as const;

/** See {@link priorities}. */
export type Priority = (typeof priorities)[number];

/** The more urgent of two. */
export const moreUrgent = (a: Priority, b: Priority): Priority =>
  priorities.indexOf(a) <= priorities.indexOf(b) ? a : b;
