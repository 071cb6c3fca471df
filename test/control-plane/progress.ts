/** The labels of a step while it runs and when it is done, without a trailing dot. */
export interface StepLabel {
  readonly doing: string;
  readonly done: string;
}

/** Reports slow steps on the terminal. */
export interface Progress {
  /** Runs one step and reports its start and its duration. */
  readonly step: <T>(label: StepLabel, work: () => Promise<T>) => Promise<T>;
  /** Prints one line at once. */
  readonly note: (text: string) => void;
}

const prefix = 'control plane: ';

/**
 * Reports on standard error: one line that updates itself on a terminal, plain lines in a pipe or in CI,
 * where a log viewer would show every update as a line of its own.
 */
export function createProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  const isLive = stream.isTTY && process.env['CI'] === undefined;
  return {
    step: (label, work) => (isLive ? liveStep(stream, label, work) : plainStep(stream, label, work)),
    note: (text) => void stream.write(`${prefix}${text}\n`),
  };
}

async function plainStep<T>(stream: NodeJS.WriteStream, label: StepLabel, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  stream.write(`${prefix}${label.doing} …\n`);
  const result = await work();
  stream.write(`${prefix}${label.done} in ${seconds(startedAt)} s\n`);
  return result;
}

async function liveStep<T>(stream: NodeJS.WriteStream, label: StepLabel, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  // Back to the first column and clear the line: \r ESC [ K.
  const show = (text: string): void => void stream.write(`\r\u001B[K${prefix}${text}`);
  const update = (): void => show(`${label.doing} … ${seconds(startedAt)} s`);
  update();
  const timer = setInterval(update, 1000);
  try {
    const result = await work();
    show(`${label.done} in ${seconds(startedAt)} s\n`);
    return result;
  } catch (error) {
    stream.write('\n');
    throw error;
  } finally {
    clearInterval(timer);
  }
}

function seconds(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 1000);
}
