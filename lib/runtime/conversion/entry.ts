import { pathToFileURL } from 'node:url';

/**
 * Finds the URL of the main module if the main module called `run()`.
 *
 * @param stack - the stack of an error that `run()` created before its first `await`
 * @param main - the path of the main module
 * @returns undefined if the stack does not contain the main module, or if there is no main module
 */
export const entryIn = (stack: string | undefined, main: string | undefined): URL | undefined => {
  if (main === undefined) return undefined;
  const url = pathToFileURL(main);
  return stack?.includes(`${url.href}:`) ? url : undefined;
};
