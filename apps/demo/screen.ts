import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import { clipped, fittedText } from '#lib/cli/shell/output.ts';

/** The width of a timestamp in columns, with its unit and the gap after it. */
const STAMP = 10;

const styles = { '+': 'green', '~': 'yellow', '-': 'red', '=': 'cyan' } as const;

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const wait = (ms: number): Promise<void> => sleep(ms, undefined, { ref: false });

/** The output of the demo. */
export type DemoScreen = ReturnType<typeof createScreen>;

/**
 * Creates the output of the demo on a stream. On a terminal, and not in CI, long lines are wrapped, and a pause precedes each
 * command. The last line shows the current phase, and repeated timestamps are left out. Elsewhere, every line of an event has a
 * timestamp. `NO_COLOR` turns off the colors.
 */
export const createScreen = (stream: NodeJS.WriteStream, { elapsed = () => performance.now(), pause = wait } = {}) => {
  const startedAt = elapsed();
  const isLive = stream.isTTY && process.env['CI'] === undefined;
  const paint = (style: Parameters<typeof styleText>[0], words: string): string => styleText(style, words, { stream });
  const fitted = (words: string, columns: number): string => (isLive ? fittedText(words, columns) : words);
  const text = (words: string): void => void stream.write(`${fitted(words, stream.columns)}\n`);
  let last = '';
  const stamp = (): string => {
    const now = seconds(elapsed() - startedAt);
    const shown = isLive && now === last ? '' : now;
    last = now;
    return paint('dim', shown.padStart(STAMP - 2));
  };
  const print = (words: string): void => {
    const lines = fitted(words, stream.columns - STAMP).replaceAll('\n', `\n${' '.repeat(STAMP)}`);
    stream.write(`${stamp()}  ${lines}\n`);
  };
  return {
    text,
    phase: async <T>(title: string, work: () => Promise<T>): Promise<T> => {
      const begunAt = elapsed();
      // The text is cut to one row, because only one row can be cleared.
      if (isLive) stream.write(`${stamp()}  ${clipped(`${title} …`, stream.columns - STAMP - 1)}`);
      else print(`${title} …`);
      const result = await work();
      // Moves the cursor to the first column and clears the line, so that the result replaces the title.
      if (isLive) stream.write('\r\u001B[K');
      last = '';
      print(`${paint('green', '✔')} ${title} ${paint('dim', `(${seconds(elapsed() - begunAt)})`)}`);
      return result;
    },
    /** Gives the user of a terminal one second to read. */
    beat: async (): Promise<void> => (isLive ? pause(1000) : undefined),
    command: (words: string): void => {
      last = '';
      stream.write('\n');
      print(paint('bold', `$ ${words}`));
    },
    title: (words: string): void => text(`\n${paint('bold', `── ${words}`)}`),
    /** Prints an event, after a sign: `+` created, `~` changed, `-` deleted, `=` another event. */
    event: (mark: keyof typeof styles, words: string): void => print(`  ${paint(styles[mark], mark)} ${words}`),
  };
};
