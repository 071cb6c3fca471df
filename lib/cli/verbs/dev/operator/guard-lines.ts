import { HUNG } from '#lib/desired/runaway/hung.ts';
import { isPlainObject } from '#lib/json.ts';
import type { Writer } from '../../../shell/context.ts';

/** A call of a function that did not return. */
export interface HungCall {
  /** The kind of the function. */
  readonly kind: string;
  /** The key of the resource. */
  readonly key: string;
}

/** The output of an operator without the log lines of its guardian. */
export interface GuardedOutput {
  write(text: string): void;
  /** Returns the last call that the guardian reported; undefined if there was none. */
  hung(): HungCall | undefined;
}

/**
 * Finds the call in a log line of the guardian. The guardian writes JSON in all cases, because it does not use the logger of the
 * operator.
 */
const callIn = (line: string): HungCall | undefined => {
  if (!line.startsWith('{') || !line.includes(HUNG)) return undefined;
  try {
    const fields: unknown = JSON.parse(line);
    if (!isPlainObject(fields) || fields['reason'] !== HUNG) return undefined;
    return { kind: String(fields['kind']), key: String(fields['key']) };
  } catch {
    return undefined;
  }
};

/**
 * Removes the log lines of the guardian thread from the output of an operator. The message about the end of the operator contains
 * the same information ({@link GuardedOutput.hung}).
 *
 * @param output - receives all other lines
 */
export const withGuardLines = (output: Writer): GuardedOutput => {
  let call: HungCall | undefined;
  const isShown = (line: string): boolean => {
    const found = callIn(line);
    call = found ?? call;
    return found === undefined;
  };
  return {
    write: (text) => {
      const rest = text
        .split(/(?<=\n)/)
        .filter(isShown)
        .join('');
      if (rest !== '') output.write(rest);
    },
    hung: () => call,
  };
};
