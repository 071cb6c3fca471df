import { teachUsing } from './swc-using.ts';

teachUsing();

/** Our folders with rules. `test` may import anything; the table says what may import `test`. */
export const cruisedFolders = ['lib', 'constructs', 'apps'];

/** With TypeScript 7 and its default parser dependency-cruiser finds no import and succeeds. */
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
