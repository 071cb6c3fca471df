import { expect, it } from 'vitest';
import { lateDeletions } from '#test/cluster/lives/late-deletions.ts';

/** Requests such as `kwok delete a 200`. */
const requests = (...lines: readonly string[]) =>
  lines.map((line) => {
    const [user = '', verb = '', name = '', code = ''] = line.split(' ');
    return { user, verb, name, code: Number(code) };
  });

it.each([
  { what: 'no pod is deleted', lines: ['op create a 201', 'op patch a 200'], late: 0 },
  {
    what: 'the kubelet carries out a deletion',
    lines: ['op create a 201', 'op delete a 200', 'kwok delete a 200'],
    late: 0,
  },
  {
    what: 'the second request finds no pod',
    lines: ['op delete a 200', 'kwok delete a 200', 'kwok delete a 404'],
    late: 0,
  },
  {
    what: 'the pod exists again when the second request arrives',
    lines: ['op delete a 200', 'kwok delete a 200', 'op create a 201', 'kwok delete a 200', 'op create a 201'],
    late: 1,
  },
  {
    what: 'the log has the second request before the create',
    lines: ['admin delete a 200', 'kwok delete a 200', 'kwok delete a 200', 'op create a 201'],
    late: 1,
  },
  {
    what: 'the pod was gone at once, and exists again by an apply',
    lines: ['op delete a 200', 'op patch a 201', 'kwok delete a 200'],
    late: 1,
  },
  { what: 'the deletion is about another pod', lines: ['op delete b 200', 'kwok delete a 200'], late: 1 },
  { what: 'a deletion is refused', lines: ['op delete a 403', 'kwok delete a 200'], late: 1 },
])('lateDeletions() counts $late when $what', ({ lines, late }) => {
  expect(lateDeletions(requests(...lines))).toBe(late);
});
