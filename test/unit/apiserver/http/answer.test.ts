import { expect, it } from 'vitest';
import { sendObject } from '#lib/apiserver/http/response/answer.ts';

it('sendObject() writes an object that occurs twice as YAML without an alias, as the real API server does', () => {
  const labels = { app: 'web' };
  const body = { metadata: { labels }, spec: { selector: labels } };
  let sent = '';
  const response = { writeHead: () => undefined, end: (bytes: Buffer) => (sent = bytes.toString()) };
  sendObject(response as never, { code: 200, body }, { format: 'yaml', mediaType: 'application/yaml' });
  expect(sent).toBe('metadata:\n  labels:\n    app: web\nspec:\n  selector:\n    app: web\n');
});
