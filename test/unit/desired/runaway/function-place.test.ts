import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { functionPlace } from '#lib/desired/runaway/function-place.ts';
import { tenantWith } from '#test/unit/support/tenant-extension.ts';

const compiled = (text: string, options: { readonly filename?: string; readonly columnOffset?: number } = {}) =>
  new Script(text, options).runInThisContext() as () => void;

/** Line 2 of what runs is line 5 of the source. */
const MAP = { version: 3, sources: ['source.ts'], names: [], mappings: ';AAIA' };

describe('functionPlace()', () => {
  it('functionPlace() names file and line of a function', () => {
    const filename = 'file:///app/kinds/website.ts';
    expect(functionPlace(compiled('\n\n(() => {})', { filename }))).toEqual({ path: '/app/kinds/website.ts', line: 3 });
  });

  it('functionPlace() follows the source map in the text of a script', () => {
    const url = Buffer.from(JSON.stringify(MAP)).toString('base64');
    const text = `\n(() => {})\n//# sourceMappingURL=data:application/json;base64,${url}`;
    expect(functionPlace(compiled(text, { filename: '/app/main.js' }))).toEqual({ path: '/app/main.js', line: 5 });
  });

  it('functionPlace() names the file alone when its text is transformed, and no source map is known', () => {
    const options = { filename: '/app/main.ts', columnOffset: -9 };
    expect(functionPlace(compiled('\n(() => {})', options))).toEqual({ path: '/app/main.ts' });
  });

  it('functionPlace() names the function of the author of an extension', () => {
    const filename = 'file:///app/kinds/tenant.ts';
    const desired = compiled('\n\n\n(() => {})', { filename }) as never;
    expect(functionPlace(tenantWith({ desired }).desired)).toEqual({ path: '/app/kinds/tenant.ts', line: 4 });
  });

  it('functionPlace() finds nothing for a function of the engine, and leaves nothing behind', () => {
    const before = Reflect.ownKeys(globalThis).length;
    expect(functionPlace(Math.max as () => void)).toBeUndefined();
    expect(Reflect.ownKeys(globalThis).length).toBe(before);
  });
});
