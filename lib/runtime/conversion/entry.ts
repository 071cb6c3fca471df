import { pathToFileURL } from 'node:url';

/**
 * The module that the process was started with, when it is what calls `run()`: loading it again in a thread leads to `run()` again.
 *
 * @param stack - of an error that `run()` made before it waited for anything
 * @param main - the path of that module
 */
export const entryIn = (stack: string | undefined, main: string | undefined): URL | undefined => {
  if (main === undefined) return undefined;
  const url = pathToFileURL(main);
  return stack?.includes(`${url.href}:`) ? url : undefined;
};
