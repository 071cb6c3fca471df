import { describe, expect, it } from 'vitest';
import { discoveryOf } from '#lib/cli/verbs/dev/cluster/apply-manifests.ts';
import { ApiError } from '#lib/errors.ts';

const answering = (code: number, body: unknown) => discoveryOf({ ask: async () => ({ code, body, date: undefined }) });

const pod = { apiVersion: 'v1', kind: 'Pod' };

describe('discoveryOf()', () => {
  it('names the start of a page that a load balancer gives, in one line', async () => {
    const page = `<html>\n<body>Bad Gateway</body>\n${'<p>padding</p>\n'.repeat(100)}</html>`;
    const error = await answering(502, page)
      .resourceOf(pod)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    const { message } = error as ApiError;
    expect(message).toContain('Bad Gateway');
    expect(message).not.toMatch(/\n|<p>/);
    expect(message.length).toBeLessThan(400);
  });

  it('names the message of a Status', async () => {
    const status = { kind: 'Status', reason: 'Forbidden', message: 'no discovery for you' };
    await expect(answering(403, status).resourceOf(pod)).rejects.toThrow(/no discovery for you/);
  });
});
