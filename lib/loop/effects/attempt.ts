/**
 * What one try of an effect came to. `again`: it may go better another time, and counts as one of its tries;
 * `undecided`: the same, for as long as it is asked for; `failed`: it cannot go better.
 */
export type Attempt =
  | { readonly result: 'succeeded'; readonly value: unknown }
  | { readonly result: 'again' | 'undecided' | 'failed'; readonly reason: string };

/** It may go better another time. */
export const again = (reason: string): Attempt => ({ result: 'again', reason });

/** It cannot go better. */
export const failed = (reason: string): Attempt => ({ result: 'failed', reason });
