import { teachUsing } from './swc-using.ts';

teachUsing();

/** Our folders with rules; `test` may import what it likes, and what it may be imported by stands in the table. */
export const cruisedFolders = ['lib', 'constructs', 'apps'];

/** dependency-cruiser finds nothing at all with TypeScript 7 and its default parser, and calls that a success. */
export const cruiseOptions = {
  parser: 'swc' as const,
  tsPreCompilationDeps: true,
  doNotFollow: { path: 'node_modules' },
};

/** As TypeScript resolves: types first, `#lib/*` by the "imports" of package.json. */
export const resolveOptions = {
  exportsFields: ['exports'],
  conditionNames: ['types', 'import', 'node', 'default'],
  extensions: ['.ts', '.js', '.d.ts', '.json'],
};
