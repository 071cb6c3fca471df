/** esbuild writes the path of each module, from the root of the repository, in front of its code. */
const HEADING = /^\/\/ ((?:\.\.\/)*)((?:lib|constructs|apps|node_modules)\/\S+)$/;

/**
 * The module of each line of a bundled file.
 *
 * @param bundle - the text of the file
 * @returns the path of the module for the number of a line, from 0; undefined for lines that esbuild adds
 */
export const modulesOf = (bundle: string): ((line: number) => string | undefined) => {
  let module: string | undefined;
  const byLine = bundle.split('\n').map((line) => {
    module = HEADING.exec(line)?.[2] ?? module;
    return module;
  });
  return (line) => byLine[line];
};
