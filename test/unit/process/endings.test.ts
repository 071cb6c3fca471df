import { describe, expect, it } from 'vitest';
import { Endings } from '#lib/process/endings.ts';

const recorded = () => {
  const ended: string[] = [];
  const ends = (name: string) => () => void ended.push(name);
  return { ended, ends };
};

describe('Endings', () => {
  it('ends everything in the reverse order, once', async () => {
    const { ended, ends } = recorded();
    const endings = new Endings();
    endings.add(ends('first'));
    endings.use({ [Symbol.asyncDispose]: async () => ends('second')() });
    expect(endings.adopt('value', (value) => void ended.push(value))).toBe('value');
    await endings[Symbol.asyncDispose]();
    await endings[Symbol.asyncDispose]();
    expect(ended).toEqual(['value', 'second', 'first']);
  });

  it('ends the others when some fail, and throws all failures', async () => {
    const { ended, ends } = recorded();
    const endings = new Endings();
    endings.add(ends('first'));
    for (const name of ['b', 'a']) endings.add(() => Promise.reject(new RangeError(name)));
    await expect(endings[Symbol.asyncDispose]()).rejects.toMatchObject({
      errors: [new RangeError('a'), new RangeError('b')],
    });
    expect(ended).toEqual(['first']);
  });

  it('gives its things to another one, and ends none of them then', async () => {
    const { ended, ends } = recorded();
    const endings = new Endings();
    endings.add(ends('first'));
    const moved = endings.move();
    await endings[Symbol.asyncDispose]();
    expect(ended).toEqual([]);
    await moved[Symbol.asyncDispose]();
    expect(ended).toEqual(['first']);
  });
});
