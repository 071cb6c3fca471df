import process from 'node:process';
import { cruiseTree, type Violation } from './cruise-tree.ts';

/** Fewer files than this and something is wrong with the check, not right with the tree. */
export const MIN_MODULES = 100;

const show = ({ from, to, reasons }: Violation): string => [`${from} → ${to}`, ...reasons.map((text) => `  ${text}`)].join('\n');

/** What to print, and whether the check failed. */
export const checkImports = async (root: string): Promise<{ readonly text: string; readonly failed: boolean }> => {
  const { modules, edges, violations } = await cruiseTree(root);
  const size = `${modules.length} files with ${edges.length} imports`;
  if (modules.length < MIN_MODULES) {
    return { text: `Cannot judge the imports: found ${size}, expected at least ${MIN_MODULES} files`, failed: true };
  }
  const summary = `${violations.length} forbidden imports in ${size}`;
  return { text: [...violations.map(show), summary].join('\n\n'), failed: violations.length > 0 };
};

if (import.meta.main) {
  const { text, failed } = await checkImports(process.cwd());
  process.stdout.write(`${text}\n`);
  process.exitCode = failed ? 1 : 0;
}
