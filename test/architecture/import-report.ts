import { cruiseTree, type Violation } from './cruise-tree.ts';

/** Fewer files than this mean that the check is broken, not that the tree is in order. */
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
 * @param minModules - fails with fewer files, whatever they import
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
