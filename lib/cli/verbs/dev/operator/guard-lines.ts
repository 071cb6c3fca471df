import { HUNG } from '#lib/desired/runaway/hung.ts';
import { isPlainObject } from '#lib/json.ts';
import type { Writer } from '../../../shell/context.ts';

/** A call that did not return. */
export interface HungCall {
  /** The kind of the function. */
  readonly kind: string;
  /** Key of the resource. */
  readonly key: string;
}

/** Output of an operator without the lines of its guard. */
export interface GuardedOutput {
  write(text: string): void;
  /** The last call that the guard reported. */
  hung(): HungCall | undefined;
}

/** The guard is a thread without the operator's logger, so it always writes JSON. */
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
 * Removes the lines that the guardian thread writes from the output of an operator. The message about the end of the operator
 * contains the same information ({@link GuardedOutput.hung}).
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
