import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import { clipped, fittedText } from '#lib/cli/shell/output.ts';

/** The width of a moment, its unit and the gap after it. */
const STAMP = 10;

const styles = { '+': 'green', '~': 'yellow', '-': 'red', '=': 'cyan' } as const;

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const wait = (ms: number): Promise<void> => sleep(ms, undefined, { ref: false });

/** The output of the demo. */
export type DemoScreen = ReturnType<typeof createScreen>;

/**
 * A screen on a stream. On a terminal: colours, a live line, lines wrapped between words, a timestamp only where it differs
 * from that of the line before, and a pause before each command. In a pipe: plain lines, each with its timestamp. `NO_COLOR` is
 * respected.
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
  const told = (words: string): void => {
    const lines = fitted(words, stream.columns - STAMP).replaceAll('\n', `\n${' '.repeat(STAMP)}`);
    stream.write(`${stamp()}  ${lines}\n`);
  };
  return {
    text,
    /** Runs a phase and prints how long it took. */
    phase: async <T>(title: string, work: () => Promise<T>): Promise<T> => {
      const begunAt = elapsed();
      // A single row, because more could not be cleared.
      if (isLive) stream.write(`${stamp()}  ${clipped(`${title} …`, stream.columns - STAMP - 1)}`);
      else told(`${title} …`);
      const result = await work();
      // The result replaces the announcement: back to the first column, clear the line.
      if (isLive) stream.write('\r\u001B[K');
      last = '';
      told(`${paint('green', '✔')} ${title} ${paint('dim', `(${seconds(elapsed() - begunAt)})`)}`);
      return result;
    },
    /** A second to read. */
    beat: async (): Promise<void> => (isLive ? pause(1000) : undefined),
    command: (words: string): void => {
      last = '';
      stream.write('\n');
      told(paint('bold', `$ ${words}`));
    },
    title: (words: string): void => text(`\n${paint('bold', `── ${words}`)}`),
    /** Prints something that happened. */
    event: (mark: keyof typeof styles, words: string): void => told(`  ${paint(styles[mark], mark)} ${words}`),
  };
};
