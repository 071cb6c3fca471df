import { describe, expect, it } from 'vitest';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { boxKind, shelfKind } from '../support/permissive-kinds.ts';
import { namesIn, ServerBench, said } from '../support/server-bench.ts';

const selectableValue = ({ metadata }: ServerObject): string => `about ${metadata.name}`;

/** Four shelves, as the real server had them for these answers. */
const filled = (kind = shelfKind): ServerBench => {
  const bench = new ServerBench(kind);
  const labels = { l1: { app: 'x', n: '1' }, l2: { app: 'x', n: '2' }, l3: { app: 'y' }, l4: {} };
  for (const [name, own] of Object.entries(labels)) bench.create(name, { labels: own });
  return bench;
};

// Lists and messages of kube-apiserver 1.36.4.
describe('labelSelector', () => {
  it.each([
    ['app=x', ['l1', 'l2']],
    ['app==x', ['l1', 'l2']],
    ['app!=x', ['l3', 'l4']],
    ['app in (x,y)', ['l1', 'l2', 'l3']],
    ['app notin (x)', ['l3', 'l4']],
    ['app', ['l1', 'l2', 'l3']],
    ['!app', ['l4']],
    ['n>1', ['l2']],
    ['n<2', ['l1']],
    [' app = x , n = 1 ', ['l1']],
    ['app in ()', []],
    ['app=', []],
    ['in in (in)', []],
    ['', ['l1', 'l2', 'l3', 'l4']],
  ])('createApiServer() lists what %j selects', (labelSelector, expected) => {
    expect(namesIn(filled().list({ labelSelector }))).toEqual(expected);
  });

  it.each([
    [
      'n>x',
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    ['app in x', "unable to parse requirement: found 'x' expected: '('"],
    ['app=x=y', "found '=', expected: ',' or 'end of string'"],
    ['=x', "found '=', expected: !, identifier, or 'end of string'"],
    ['app x', "unable to parse requirement: found 'x', expected: in, notin, =, ==, !=, gt, lt"],
    ['app in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
    [',', "found ',', expected: !, identifier, or 'end of string'"],
    ['app,', "found '', expected: identifier after ','"],
    ['(x)', "found '(', expected: !, identifier, or 'end of string'"],
    ['/x=y', 'unable to parse requirement: <nil>: Invalid value: "/x": prefix part must be non-empty'],
  ])('createApiServer() refuses %j', (labelSelector, expected) => {
    const bench = filled();
    expect(said(bench.list({ labelSelector }))).toBe(`400 ${expected}`);
    expect(() => bench.watch({ labelSelector })).toThrow(expected);
  });
});

describe('fieldSelector', () => {
  it.each([
    ['metadata.name=l1', ['l1']],
    ['metadata.name==l1', ['l1']],
    ['metadata.name!=l1', ['l2', 'l3', 'l4']],
    ['metadata.namespace=default', ['l1', 'l2', 'l3', 'l4']],
    ['metadata.namespace!=default', []],
    ['metadata.name=l1,metadata.namespace=default', ['l1']],
    ['metadata.name=a\\,b', []],
    ['spec.color=', ['l1', 'l2', 'l3', 'l4']],
  ])('createApiServer() lists what %j selects', (fieldSelector, expected) => {
    expect(namesIn(filled().list({ fieldSelector }))).toEqual(expected);
  });

  it.each([
    ['metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ['metadata.name=a\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['metadata.name=a=b', 'invalid field selector: unescaped character in value: 61'],
    ['foo=bar', 'field label not supported: foo'],
  ])('createApiServer() refuses %j', (fieldSelector, expected) => {
    expect(said(filled().list({ fieldSelector }))).toBe(`400 ${expected}`);
  });

  it('createApiServer() selects by fields of the kind', () => {
    const bench = new ServerBench();
    for (const color of ['red', 'blue']) bench.create(color, {}, { body: { ...bench.body(color), spec: { color } } });
    expect(namesIn(bench.list({ fieldSelector: 'spec.color=red' }))).toEqual(['red']);
    expect(namesIn(bench.list({ fieldSelector: 'spec.color!=red' }))).toEqual(['blue']);
  });

  it('createApiServer() selects by what a kind makes of a field', () => {
    const kind = { ...boxKind, strategy: { ...boxKind.strategy, selectableFields: ['spec.x'], selectableValue } };
    const bench = new ServerBench(kind, { kinds: [kind] });
    for (const name of ['a', 'b']) bench.create(name);
    expect(namesIn(bench.list({ fieldSelector: 'spec.x=about b' }))).toEqual(['b']);
  });

  it('createApiServer() names the fields that there are for kinds without fields of their own', () => {
    const kind = { ...boxKind, strategy: { ...boxKind.strategy, selectableFields: [] } };
    const bench = new ServerBench(kind, { kinds: [kind] });
    expect(said(bench.list({ fieldSelector: 'status.phase=x' }))).toBe(
      '400 "status.phase" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
  });
});
