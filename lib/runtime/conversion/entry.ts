import { pathToFileURL } from 'node:url';

/**
 * The main module of the process, if it calls `run()`. A thread that loads it again also calls `run()` again.
 *
 * @param stack - the stack of an error that `run()` created before its first `await`
 * @param main - the path of the main module
 */
export const entryIn = (stack: string | undefined, main: string | undefined): URL | undefined => {
  if (main === undefined) return undefined;
  const url = pathToFileURL(main);
  return stack?.includes(`${url.href}:`) ? url : undefined;
};
