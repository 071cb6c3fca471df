import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from '#test/architecture/repository.ts';

/** A file of the template of `cdk8s init typescript-app`. */
export const template = (file: string): Promise<string> =>
  readFile(join(repository, 'node_modules/cdk8s-cli/templates/typescript-app', file), 'utf8');

/** The imports of {@link LINES}. */
export const IMPORTS = `import { Operator, PodSet, podSet } from 'cdk8s-reconcile/constructs';\n`;

/** An install bundle, and a resource. */
export const LINES = `
    new Operator(this, 'operator', { kinds: [podSet], image: 'registry.example.com/operator:1' });
    new PodSet(this, 'web', { metadata: { name: 'web' }, spec: { replicas: 3 } });
`;

/** `main.ts` of the template, with our lines at the marked place. */
export const templateWithOurLines = async (): Promise<string> => {
  const text = await template('main.ts');
  const marker = '// define resources here\n';
  if (!text.includes(marker)) throw new TypeError(`The template has no line ${marker}`);
  return `${IMPORTS}${text.replace(marker, LINES).replaceAll('{{ $base }}', 'app')}`;
};
