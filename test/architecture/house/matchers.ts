import { parseSync, Visitor } from 'oxc-parser';
import { type Check, findingAt } from './finding.ts';

/** Finds empty objects in `toMatchObject()`: such an object matches each object, so it shows nothing. */
export const emptyMatches: Check = (file) => {
  if (!file.text.includes('toMatchObject')) return [];
  const matchers: { readonly start: number; readonly end: number }[] = [];
  const empty: number[] = [];
  const visitor = new Visitor({
    CallExpression: ({ callee, end }) => {
      if (
        callee.type === 'MemberExpression' &&
        callee.property.type === 'Identifier' &&
        callee.property.name === 'toMatchObject'
      )
        matchers.push({ start: callee.end, end });
    },
    ObjectExpression: ({ start, properties }) => {
      if (properties.length === 0) empty.push(start);
    },
  });
  visitor.visit(parseSync(file.path, file.text).program);
  return empty
    .filter((at) => matchers.some(({ start, end }) => start <= at && at < end))
    .map((at) => findingAt(file, at, '"{}" in toMatchObject()'));
};
