import { describe, expect, it } from 'vitest';
import { withRelativeImports } from '#apps/package/relative-imports.ts';

const rewritten = (text: string): string =>
  withRelativeImports(`lib/loop/pass/a${text.startsWith('let') ? '.d.ts' : '.js'}`, text);

describe('withRelativeImports()', () => {
  it.for([
    [`import { a } from "#lib/loop/pass/b.ts";`, `import { a } from "./b.js";`],
    [`export * from '#lib/errors.ts';`, `export * from '../../errors.js';`],
    [`import "#constructs/index.ts";`, `import "../../../constructs/index.js";`],
    [`let a: import("../b.ts").B;`, `let a: import("../b.js").B;`],
    [`await import('./b.ts')`, `await import('./b.js')`],
    [`let a: import("kubernetes-types/core/v1").Pod;`, `let a: import("kubernetes-types/core/v1.js").Pod;`],
    [`import\n  { a } from\n  './b.ts'`, `import\n  { a } from\n  './b.js'`],
  ])('makes %j work outside of the repository', ([text = '', expected]) => {
    expect(rewritten(text)).toBe(expected);
  });

  it.for([
    `import { a } from 'other/b.ts';`,
    `import { a } from 'cdk8s';`,
    `import data from './a.json' with { type: 'json' };`,
    `throw new Error('read it from #lib/errors.ts');`,
    `const path = './b.ts';`,
    `const advice = "write import { b } from './b.ts'";`,
    'const file = `\nimport { b } from "./b.ts";\n`;',
    `const types = 'kubernetes-types/core/v1';`,
    `// import { b } from './b.ts'`,
  ])('leaves %j as it is', (text) => {
    expect(rewritten(text)).toBe(text);
  });
});
