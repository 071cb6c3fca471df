import { goPlain } from './go-format.ts';

/** The first line of the message of an error, or of another thrown value as text. */
export const errorText = (error: unknown): string =>
  (error instanceof Error ? error.message : goPlain(error)).split('\n')[0] ?? '';
