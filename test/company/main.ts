/**
 * Runs the library with real tools: `npm run company -- --part storage`. Each part is a module in `parts/`; its
 * programs are built once into the cache. Fails when a part fails, or when no part has the name.
 */
import { readdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Case, Part } from './part.ts';

const PARTS = new URL('parts/', import.meta.url);
const SECOND_MS = 1000;

const partNames = async (): Promise<readonly string[]> =>
  (await readdir(PARTS)).filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, -'.ts'.length));

const partOf = async (name: string): Promise<Part> => {
  const { part } = (await import(new URL(`${name}.ts`, PARTS).href)) as { readonly part: Part };
  return part;
};

/** @returns whether the case passed */
const runCase = async (name: string, { title, run }: Case): Promise<boolean> => {
  const began = Date.now();
  const result = await run().catch((error: unknown) => error);
  const took = `${((Date.now() - began) / SECOND_MS).toFixed(0)} s`;
  if (typeof result === 'string') console.log(`ok    ${name}: ${title}: ${result} (${took})`);
  else console.log(`FAIL  ${name}: ${title} (${took})\n      ${String(result)}`);
  return typeof result === 'string';
};

/** @returns whether the part passed, or could not be run */
const runPart = async (name: string): Promise<boolean> => {
  const part = await partOf(name);
  const lacks = await part.lacks();
  if (lacks !== undefined) {
    console.error(`\n*** ${name}: SKIPPED, ${lacks} ***\n`);
    // As in the tests: with `CI` set a missing program is a failure.
    return process.env['CI'] === undefined;
  }
  const began = Date.now();
  const beside = part.cases.filter(({ isBeside }) => isBeside).map(async (each) => runCase(name, each));
  const passed: boolean[] = [];
  for (const each of part.cases) if (!each.isBeside) passed.push(await runCase(name, each));
  passed.push(...(await Promise.all(beside)));
  const failed = passed.filter((isOk) => !isOk).length;
  await part.end?.();
  console.log(
    `${name}: ${part.cases.length - failed} of ${part.cases.length} in ${((Date.now() - began) / SECOND_MS).toFixed(0)} s`,
  );
  return failed === 0;
};

const { values } = parseArgs({ options: { part: { type: 'string', multiple: true } } });
const known = await partNames();
const wanted = values.part ?? known;
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`No part is called ${unknown.join(', ')}: there are ${known.join(', ')}`);
  process.exit(2);
}
const outcomes: boolean[] = [];
for (const name of wanted) outcomes.push(await runPart(name));
process.exitCode = outcomes.every(Boolean) ? 0 : 1;
