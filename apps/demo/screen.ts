import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Where the story of the demo is told. */
export interface Screen {
  /** Runs a phase and reports how long it took. */
  readonly phase: <T>(title: string, work: () => Promise<T>) => Promise<T>;
  /** A command that somebody could type. */
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

/**
 * A screen on a stream: colour and a live line on a terminal, plain lines in a pipe; `NO_COLOR` is obeyed.
 *
 * @param stream - usually `process.stdout`
 */
export const createScreen = (stream: NodeJS.WriteStream): Screen => {
  const startedAt = performance.now();
  const isLive = stream.isTTY && process.env['CI'] === undefined;
  const paint = (style: Style, text: string): string => styleText(style, text, { stream });
  const clock = (): string => paint('dim', `${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s`);
  const line = (text: string): void => void stream.write(`${text}\n`);
  return {
    phase: async (title, work) => {
      const begunAt = performance.now();
      if (isLive) stream.write(`${clock()}  ${title} …`);
      else line(`${clock()}  ${title} …`);
      const result = await work();
      const took = `${((performance.now() - begunAt) / 1000).toFixed(1)} s`;
      // Back to the first column and clear the line: the result takes the place of the announcement.
      line(`${isLive ? '\r\u001B[K' : ''}${clock()}  ${paint('green', '✔')} ${title} ${paint('dim', `(${took})`)}`);
      return result;
    },
    command: (text) => line(`\n${clock()}  ${paint('bold', `$ ${text}`)}`),
    title: (text) => line(`\n${paint('bold', `── ${text}`)}`),
    event: (mark, text) => line(`${clock()}    ${paint(styles[mark], mark)} ${text}`),
    text: line,
  };
};
