import { describe, expect, it } from 'vitest';
import { negotiate } from '#lib/apiserver/http/encoding/media.ts';
import { StatusError } from '#lib/apiserver/machinery/status.ts';

const table = 'application/json;as=Table;g=meta.k8s.io';

const codeOf = (act: () => unknown): number | undefined => {
  try {
    act();
    return 200;
  } catch (error) {
    if (error instanceof StatusError) return error.status.code;
    throw error;
  }
};

describe('negotiate()', () => {
  it('takes the first that can be given', () => {
    expect(negotiate('application/vnd.kubernetes.protobuf, */*')).toEqual({
      format: 'json',
      mediaType: 'application/json',
    });
    expect(negotiate(`${table};v=v1`)).toMatchObject({ as: 'Table' });
    expect(negotiate(`${table};v=v1beta1`)).toMatchObject({ as: 'Table', version: 'v1beta1' });
    expect(codeOf(() => negotiate(`${table};v=v2`))).toBe(406);
  });

  it('gives no tables of what stores nothing', () => {
    expect(codeOf(() => negotiate(`${table};v=v1`, false))).toBe(406);
    expect(negotiate(`${table};v=v1,application/json`, false)).toEqual({
      format: 'json',
      mediaType: 'application/json',
    });
  });
});
