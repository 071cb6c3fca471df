import { cruiseTree, type Violation } from './cruise-tree.ts';

/** The least number of files. With fewer files the check itself is broken, and finds no violation. */
const MIN_MODULES = 100;

/** The outcome of a check, ready to be printed. */
export interface Report {
  readonly text: string;
  readonly failed: boolean;
}

const show = ({ edge, reasons }: Violation): string => [edge, ...reasons.map((reason) => `  ${reason}`)].join('\n');

/**
 * Judges the imports of the tree at `root`: every violation with its rules and their reasons.
 *
 * @param minModules - the least number of files; with fewer files the report is a failure
 */
export const reportImports = async (root: string, minModules = MIN_MODULES): Promise<Report> => {
  const { modules, edges, violations } = await cruiseTree(root);
  const size = `${modules.length} files with ${edges.length} imports`;
  if (modules.length < minModules) {
    return { text: `Cannot judge the imports: found ${size}, expected at least ${minModules} files`, failed: true };
  }
  const summary = `${violations.length} forbidden imports in ${size}`;
  return { text: [...violations.map(show), summary].join('\n\n'), failed: violations.length > 0 };
};
