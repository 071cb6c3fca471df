import { describe, expect, it } from 'vitest';
import { readSample } from '#constructs/rollout/checks/prometheus.ts';

const answer = (data: unknown, status = 'success') => ({ status: 200, body: JSON.stringify({ status, data }) });
const vectorOf = (...values: readonly unknown[]) =>
  answer({ resultType: 'vector', result: values.map((value) => ({ metric: {}, value: [1_700_000_000, value] })) });
const scalarOf = (value: unknown) => answer({ resultType: 'scalar', result: [1_700_000_000, value] });

describe('readSample()', () => {
  it.each([
    { given: vectorOf('0.987'), value: 0.987, reason: 'a vector has one series' },
    { given: scalarOf('42'), value: 42, reason: 'it is a scalar' },
    { given: scalarOf('-1.5e-07'), value: -1.5e-7, reason: 'Go writes an exponent' },
    { given: scalarOf('+2'), value: 2, reason: 'it has a sign' },
  ])('readSample() reads $value when $reason', ({ given, value }) => {
    expect(readSample(given)).toMatchObject({ sample: 'value', value });
  });

  it.each([
    { given: vectorOf(), reason: 'the vector is empty' },
    { given: vectorOf('NaN'), reason: 'the first sample is NaN' },
    { given: scalarOf('+Inf'), reason: 'it is infinite' },
    { given: scalarOf('-Inf'), reason: 'it is infinite and negative' },
    { given: scalarOf('Inf'), reason: 'it is infinite without a sign' },
  ])('readSample() finds no data, which is no error, when $reason', ({ given }) => {
    expect(readSample(given).sample).toBe('noData');
  });

  it.each([
    { given: { status: 200, body: '<html>' }, why: 'not that of a Prometheus', reason: 'the body is no JSON' },
    { given: { status: 200, body: '[]' }, why: 'not that of a Prometheus', reason: 'the body is a list' },
    { given: { status: 302, body: '' }, why: 'answered 302, a redirect elsewhere', reason: 'a login stands before it' },
    { given: { status: 404, body: 'x' }, why: 'answered 404', reason: 'the path is wrong' },
    {
      given: { status: 400, body: '{"status":"error","errorType":"bad_data","error":"secret query text"}' },
      why: 'answered 400, bad_data',
      reason: 'the query is wrong',
    },
    { given: answer({}, 'error'), why: 'answered 200', reason: 'it says error with 200' },
    { given: answer({ resultType: 'matrix', result: [] }), why: 'vector or scalar', reason: 'it is a range' },
    { given: answer({ resultType: 'string', result: [1, 'x'] }), why: 'vector or scalar', reason: 'it is a text' },
    { given: answer({ resultType: 'vector', result: 'x' }), why: 'no list', reason: 'the vector is none' },
    { given: answer({ resultType: 'vector', result: [{}] }), why: 'without a value', reason: 'a series has no value' },
    { given: vectorOf('1', '2'), why: 'found 2 series', reason: 'the vector has two series' },
    { given: scalarOf(5), why: 'without a value', reason: 'the value is no text' },
    { given: scalarOf('five'), why: 'no number', reason: 'the value is a word' },
    { given: scalarOf('1e999'), why: 'no number', reason: 'the value is beyond all numbers' },
    { given: scalarOf('9'.repeat(40)), why: 'without a value', reason: 'the value is longer than any float' },
    {
      given: { status: 200, body: '{"status":"success","data":{"resultType":"vec', isCut: true },
      why: 'longer than 64 KiB: aggregate',
      reason: 'it has many series',
    },
    {
      given: { status: 200, body: '<html>', isCut: true },
      why: 'not that of a Prometheus',
      reason: 'it is a long page for a login',
    },
    { given: { status: 503, body: '{"status"', isCut: true }, why: 'answered 503', reason: 'a long page says 503' },
    {
      given: { status: 200, body: `{"status":"success","data":{"resultType":"vec` },
      why: 'not that',
      reason: 'it was cut',
    },
  ])('readSample() reports an error when $reason', ({ given, why }) => {
    expect(readSample(given)).toEqual({ sample: 'error', why: expect.stringContaining(why) as string });
  });

  it('readSample() reads the first of several series when set so', () => {
    expect(readSample(vectorOf('1', '2'), 'First')).toMatchObject({ sample: 'value', value: 1 });
    expect(readSample(vectorOf(), 'First').sample).toBe('noData');
  });

  it('readSample() repeats nothing that the server said but the type of its error', () => {
    const body = '{"status":"error","errorType":"Not A Type!","error":"secret query text"}';
    expect(readSample({ status: 422, body })).toEqual({ sample: 'error', why: 'the server answered 422' });
  });
});
