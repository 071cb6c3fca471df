import { describe, expect, it } from 'vitest';
import { contentOf } from '#lib/apiserver/http/request/body.ts';
import { statusOf } from '#test/unit/apiserver/support/strategies.ts';

const problemOf = (body: string, type: string) => statusOf(() => contentOf(Buffer.from(body), type, false));

/** As many nested lists as a body may not have. */
const depth = 20_000;

describe('contentOf()', () => {
  it.each([
    ['JSON', 'application/json', '{', /^error decoding JSON: .*JSON/],
    ['YAML', 'application/yaml', 'a: [', /^error decoding YAML: .*line 1/s],
    ['YAML', 'application/yaml', 'a: .nan', /^error decoding YAML: a number is not finite$/],
    [
      'JSON',
      'application/json',
      `${'['.repeat(depth)}${']'.repeat(depth)}`,
      /^error decoding JSON: exceeded max depth$/,
    ],
    [
      'YAML',
      'application/yaml',
      `${'['.repeat(depth)}${']'.repeat(depth)}`,
      /^error decoding YAML: exceeded max depth$/,
    ],
    ['protobuf', 'application/vnd.kubernetes.protobuf', 'x', /^error decoding protobuf: ./],
  ])('contentOf() says why it cannot read %s as %s', (_, type, body, message) => {
    expect(problemOf(body, type)).toEqual({ code: 400, message: expect.stringMatching(message) });
  });
});
