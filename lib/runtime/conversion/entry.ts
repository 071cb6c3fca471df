import { pathToFileURL } from 'node:url';

/**
 * The main module of the process, if it calls `run()`: a thread that loads it again calls `run()` again.
 *
 * @param stack - of an error that `run()` made before it waited for anything
 * @param main - the path of that module
 */
export const entryIn = (stack: string | undefined, main: string | undefined): URL | undefined => {
  if (main === undefined) return undefined;
  const url = pathToFileURL(main);
  return stack?.includes(`${url.href}:`) ? url : undefined;
};
