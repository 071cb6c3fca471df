import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import { clipped, fittedText } from '#lib/cli/shell/output.ts';

type Style = Parameters<typeof styleText>[0];

/** The output of the demo. */
export interface Screen {
  /** Runs a phase and reports how long it took. */
  readonly phase: <T>(title: string, work: () => Promise<T>) => Promise<T>;
  /** A pause to read. */
  readonly beat: () => Promise<void>;
  /** Prints a command that the user could type. */
  readonly command: (text: string) => void;
  /** What comes next. */
  readonly title: (text: string) => void;
  /** One thing that happened, with the time since the demo began. */
  readonly event: (mark: Mark, text: string) => void;
  readonly text: (text: string) => void;
}

/** What kind of thing happened. */
export type Mark = '+' | '~' | '-' | '=';

const styles: Readonly<Record<Mark, Style>> = { '+': 'green', '~': 'yellow', '-': 'red', '=': 'cyan' };

/** How long a beat is, in milliseconds. */
const BEAT_MS = 1000;

/** What tests replace. */
export interface ScreenParts {
  /** Milliseconds that only grow. @default those of the process */
  readonly elapsed?: () => number;
  /** @default waits */
  readonly pause?: (ms: number) => Promise<void>;
}

const wait = async (ms: number): Promise<void> => {
  // The pause does not delay the end of the demo.
  await sleep(ms, undefined, { ref: false });
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** A moment and its unit, and the gap behind it. */
const STAMP = 10;

/**
 * A screen on a stream. On a terminal: colour, a live line, lines broken between words, a moment only where it is another one than that of
 * the line before, and a beat before each command. In a pipe: plain lines, each with its moment. `NO_COLOR` is obeyed.
 *
 * @param stream - usually `process.stdout`
 */
export const createScreen = (
  stream: NodeJS.WriteStream,
  { elapsed = () => performance.now(), pause = wait }: ScreenParts = {},
): Screen => {
  const startedAt = elapsed();
  const isLive = stream.isTTY && process.env['CI'] === undefined;
  const paint = (style: Style, text: string): string => styleText(style, text, { stream });
  const fitted = (text: string, columns: number): string => (isLive ? fittedText(text, columns) : text);
  const line = (text: string): void => void stream.write(`${fitted(text, stream.columns)}\n`);
  let last = '';
  const stamp = (): string => {
    const now = seconds(elapsed() - startedAt);
    const isShown = !isLive || now !== last;
    last = now;
    return paint('dim', (isShown ? now : '').padStart(STAMP - 2));
  };
  const told = (text: string): void => {
    const lines = fitted(text, stream.columns - STAMP).split('\n');
    stream.write(`${stamp()}  ${lines.join(`\n${' '.repeat(STAMP)}`)}\n`);
  };
  const paragraph = (): void => {
    last = '';
    stream.write('\n');
  };
  return {
    phase: async (title, work) => {
      const begunAt = elapsed();
      // One row, or it could not be cleared.
      if (isLive) stream.write(`${stamp()}  ${clipped(`${title} …`, stream.columns - STAMP - 1)}`);
      else told(`${title} …`);
      const result = await work();
      // Back to the first column and clear the line: the result takes the place of the announcement.
      if (isLive) stream.write('\r\u001B[K');
      last = '';
      told(`${paint('green', '✔')} ${title} ${paint('dim', `(${seconds(elapsed() - begunAt)})`)}`);
      return result;
    },
    beat: async () => (isLive ? pause(BEAT_MS) : undefined),
    command: (text) => {
      paragraph();
      told(paint('bold', `$ ${text}`));
    },
    title: (text) => line(`\n${paint('bold', `── ${text}`)}`),
    event: (mark, text) => told(`  ${paint(styles[mark], mark)} ${text}`),
    text: line,
  };
};
