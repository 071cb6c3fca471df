import * as fc from 'fast-check';
import type { Json } from '#lib/json.ts';

/** Deeper than any object of Kubernetes. */
const DEEP = 900;

const nested = (open: string, core: string, close: string): Json =>
  JSON.parse(open.repeat(DEEP) + core + close.repeat(DEEP)) as Json;

/** Values of the first kind more often than of the other. */
export const usually = <T>(weight: number, arbitrary: fc.Arbitrary<T>, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary }, { weight: 1, arbitrary: other });

/** Texts with a meaning somewhere in Kubernetes, some of which are malformed. */
export const oddTexts: fc.Arbitrary<string> = fc.constantFrom(
  '',
  ' ',
  'a',
  'b-1',
  'A',
  'a_b',
  'a.b/c',
  'x/y/z',
  '..',
  'default',
  'node-1',
  'main',
  'busybox',
  'Always',
  'None',
  '0',
  '-1',
  '1Gi',
  '100m',
  '1e400',
  '5%',
  '101%',
  '2026-01-01T00:00:00Z',
  '2026-02-30T25:00:00Z',
  '*/5 * * * *',
  '10.0.0.1',
  '::1',
  '10.0.0.0/33',
  'TCP',
  'RuntimeDefault',
  'v1',
  'apps/v1',
  'example.com/finalizer',
  'orphan',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '\u0000',
  '\ud800',
  'é\u0301',
  '\u{1F600}',
  'self.x > 1',
  'x'.repeat(64),
  'x'.repeat(254),
  '(',
  '[a-',
  '(a+)+$',
  '$ref',
  '#/definitions/x',
  '{"a":1}',
  'true',
  'null',
);

const numbers = fc.constantFrom(
  0,
  -0,
  1,
  -1,
  7,
  0.5,
  65_535,
  65_536,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  1e21,
  -1e300,
  5e-324,
);

/** Names of members: plain ones, and those that JavaScript objects inherit. */
export const memberNames = fc.constantFrom(
  'a',
  'name',
  'x-y',
  '',
  '__proto__',
  'constructor',
  'toString',
  'a.b/c',
  '$patch',
  'f:a',
  '0',
);

const scalars: fc.Arbitrary<Json> = fc.oneof(oddTexts, numbers, fc.boolean(), fc.constant(null));

const { value: trees } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(memberNames, tie('value'), { maxKeys: 3 }) as fc.Arbitrary<Json>,
  ),
}));

/** Any JSON value, often of a form that some reader does not expect: odd texts and numbers, inherited names, deep nesting. */
export const oddJson: fc.Arbitrary<Json> = fc.oneof(
  { weight: 30, arbitrary: trees },
  { weight: 1, arbitrary: fc.constantFrom(nested('[', '', ']'), nested('{"a":', '1', '}')) },
);
