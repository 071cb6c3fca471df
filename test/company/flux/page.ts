import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const PAGE = fileURLToPath(new URL('../../../docs/gitops.md', import.meta.url));

const found = async (pattern: RegExp): Promise<string> => {
  const [, text] = pattern.exec(await readFile(PAGE, 'utf8')) ?? [];
  if (text === undefined) throw new Error(`${PAGE} says nothing like ${pattern.source}`);
  return text;
};

/** The health checks that docs/gitops.md recommends for the Kustomization of rollouts. */
export const advisedChecks = async (): Promise<object> =>
  parse(await found(/```yaml\n(healthCheckExprs:[^`]*)```/)) as object;

/** The flag of kustomize-controller that the page names. */
export const advisedFlag = (): Promise<string> => found(/(--feature-gates=\w+=true)/);
