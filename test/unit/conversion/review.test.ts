import { describe, expect, it } from 'vitest';
import { answerReview, MalformedReviewError } from '#lib/conversion/webhook/review.ts';
import type { KindShape, VersionShape } from '#lib/kind/shape.ts';
import { KEPT_ANNOTATION } from '#lib/kind/versions/annotations.ts';
import { between } from '#lib/kind/versions/between.ts';
import { greeting, v1alpha1, v1beta1 } from '#test/examples/greeting.ts';

const [OLD, NEW] = ['demo.example.com/v1alpha1', 'demo.example.com/v1beta1'];

const old = (name: string, text: unknown = 'hi') => ({
  apiVersion: OLD,
  kind: 'Greeting',
  metadata: { name, namespace: 'team', uid: name, resourceVersion: '7' },
  spec: { text, times: 1 },
});

const review = (objects: unknown, desiredAPIVersion: unknown = NEW) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'ConversionReview',
  request: { uid: 'u', desiredAPIVersion, objects },
});

const messageOf = (shape: KindShape, body: unknown): string => {
  const { result, uid, convertedObjects } = answerReview([shape], body).response;
  expect([uid, convertedObjects]).toEqual(['u', undefined]);
  return result.status === 'Failure' ? result.message : 'no failure';
};

const withUp = (up: () => unknown): KindShape => ({
  ...greeting,
  versions: [between(v1alpha1 as VersionShape, v1beta1 as VersionShape, { up: up as never, down: up as never })],
});

describe('answerReview()', () => {
  it('converts all objects of a request, in their order', () => {
    const { response } = answerReview([greeting], review([old('a'), old('b', 'ho')]));
    expect(response).toMatchObject({
      uid: 'u',
      result: { status: 'Success' },
      convertedObjects: [
        { apiVersion: NEW, metadata: old('a').metadata, spec: { message: { text: 'hi' }, repeat: 1, names: [] } },
        { apiVersion: NEW, metadata: old('b').metadata, spec: { message: { text: 'ho' } } },
      ],
    });
  });

  it('answers a request without objects', () => {
    expect(answerReview([greeting], review([])).response).toMatchObject({ convertedObjects: [] });
  });

  it('converts an object with an annotation that is not a text', () => {
    const [object] = [old('a')] as unknown as [{ readonly metadata: object }];
    const odd = {
      ...object,
      metadata: { ...object.metadata, annotations: { [KEPT_ANNOTATION]: '{}', b: { toString: 0 } } },
    };
    expect(JSON.stringify(answerReview([greeting], review([odd])))).not.toContain('TypeError');
  });

  it('converts an object of 3 MB', () => {
    const big = 'x'.repeat(3_000_000);
    const { response } = answerReview([greeting], review([old('a', big)]));
    expect(response.convertedObjects?.[0]).toMatchObject({ spec: { message: { text: big } } });
  });

  it.each([
    { what: 'null', objects: [null], says: 'cannot convert object without a name: expected an object' },
    {
      what: 'an object without metadata',
      objects: [{ apiVersion: OLD, kind: 'Greeting' }],
      says: 'cannot convert Greeting without a name: metadata: expected an object',
    },
    {
      what: 'an object without apiVersion',
      objects: [{ kind: 'Greeting', metadata: { name: 'a' } }],
      says: 'cannot convert Greeting a: apiVersion: expected a text',
    },
    {
      what: 'an unknown kind',
      objects: [{ ...old('a'), kind: 'Other' }],
      says: 'cannot convert Other team/a: kind: this operator knows no Other of demo.example.com/v1alpha1',
    },
    {
      what: 'a version that it does not know',
      objects: [{ ...old('a'), apiVersion: 'demo.example.com/v7' }],
      says: 'demo.example.com/v7: apiVersion: is no version of Greeting; known: demo.example.com/v1alpha1, demo.example.com/v1beta1',
    },
    { what: 'a text for objects', objects: 'all', says: 'request.objects: expected a list' },
  ])('refuses $what, and says so', ({ objects, says }) => {
    expect(messageOf(greeting, review(objects))).toContain(says);
  });

  it('refuses a wanted version that it does not know', () => {
    expect(messageOf(greeting, review([old('a')], 'demo.example.com/v9'))).toContain('is no version of Greeting');
    expect(messageOf(greeting, review([old('a')], 7))).toBe('request.desiredAPIVersion: expected a text');
  });

  const circle: Record<string, unknown> = {};
  circle['self'] = circle;

  it.each([
    {
      what: 'throws',
      up: () => {
        throw new TypeError('text is missing');
      },
      says: 'cannot convert Greeting team/a: v1alpha1 to v1beta1: threw TypeError',
    },
    {
      what: 'throws no error',
      up: () => {
        throw 'password=hunter2';
      },
      says: 'cannot convert Greeting team/a: v1alpha1 to v1beta1: threw string',
    },
    { what: 'returns nothing', up: () => undefined, says: 'v1alpha1 to v1beta1: must return { spec, status }' },
    { what: 'returns no spec', up: () => ({ status: {} }), says: 'v1alpha1 to v1beta1: spec: must be an object' },
    { what: 'returns a list for the status', up: () => ({ spec: {}, status: [] }), says: 'status: must be an object' },
    {
      what: 'returns what is no number',
      up: () => ({ spec: { a: [{ b: Number.NaN }] } }),
      says: 'v1alpha1 to v1beta1: spec.a[0].b: is no JSON value',
    },
    { what: 'returns a date', up: () => ({ spec: { at: new Date(0) } }), says: 'spec.at: is no JSON value' },
    { what: 'returns what contains itself', up: () => ({ spec: circle }), says: 'is no JSON value' },
  ])('names object, step and field when a function $what', ({ up, says }) => {
    expect(messageOf(withUp(up), review([old('a')]))).toContain(says);
  });

  it.each([
    { how: 'throws what quotes it', up: ({ spec }: { spec: { text: string } }) => JSON.parse(spec.text) as unknown },
    {
      how: 'returns what throws when it is read',
      up: ({ spec }: { spec: { text: string } }) => ({
        spec: {
          get text(): string {
            throw new Error(spec.text);
          },
        },
      }),
    },
  ])('shows no value of the object when a function $how', ({ up }) => {
    const message = messageOf(withUp(up as never), review([old('a', 'password=hunter2')]));
    expect(message).toMatch(/threw (Syntax)?Error$/);
    expect(message).not.toMatch(/password|hunter2/);
  });

  it('lets a function change its argument without harm', () => {
    const object = old('a');
    const shape = withUp(((content: { spec: { text?: string } }) => {
      delete content.spec.text;
      return content;
    }) as never);
    answerReview([shape], review([object]));
    expect(object.spec.text).toBe('hi');
  });

  it.each([undefined, null, 7, 'text', {}, { ...review([]), kind: 'Other' }, { ...review([]), request: {} }])(
    'throws MalformedReviewError when it is given %j',
    (body) => {
      expect(() => answerReview([greeting], body)).toThrow(MalformedReviewError);
    },
  );
});
