import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A comment as both APIs return it. */
export interface ForgeComment {
  readonly id: number;
  body: string;
  /** The author in the API of GitHub. */
  readonly user?: Account['user'];
  /** The author in the API of GitLab. */
  readonly author?: Account['author'];
}

/** An account in both APIs. */
export interface Account {
  readonly user: { readonly login: string; readonly type: 'Bot' | 'User' };
  readonly author: { readonly id: number };
}

/** The account of the token of a job. */
export const BOT: Account = { user: { login: 'github-actions[bot]', type: 'Bot' }, author: { id: 7 } };
export const PERSON: Account = { user: { login: 'octocat', type: 'User' }, author: { id: 8 } };
export const OTHER_BOT: Account = { user: { login: 'renovate[bot]', type: 'Bot' }, author: { id: 9 } };

const answerWith = (response: ServerResponse, value: unknown, code = 200): void =>
  void response.writeHead(code).end(JSON.stringify(value));

/** A server on 127.0.0.1 that imitates the parts of the APIs of GitHub and GitLab for the comments of one pull request. */
export class Forge {
  readonly comments: ForgeComment[] = [];
  /** Method and path of each request. */
  readonly requests: string[] = [];
  /** The token of each request, as its header contains it. */
  readonly tokens: string[] = [];
  /** The account of the token. */
  account = BOT;
  /** The status of the answer to a write of this method. @default writes succeed */
  refusal: ((method: string) => number | undefined) | undefined;
  /** The text of such an answer. */
  refusalText = 'Resource not accessible by integration';
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => this.#answer(request, response, text));
    });
  }

  static async start(): Promise<Forge> {
    const forge = new Forge();
    await new Promise<void>((resolve) => void forge.#server.listen(0, '127.0.0.1', resolve));
    return forge;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The requests that write. */
  get writes(): readonly string[] {
    return this.requests.filter((request) => !/^GET|\/graphql$/.test(request));
  }

  /** The variables of a job of GitHub Actions, without those of one step. */
  get gitHub(): Readonly<Record<string, string>> {
    return {
      GITHUB_API_URL: this.url,
      GITHUB_GRAPHQL_URL: `${this.url}/graphql`,
      GITHUB_REPOSITORY: 'acme/shop',
    };
  }

  /** The variables of a job of GitLab CI. */
  get gitLab(): Readonly<Record<string, string>> {
    return {
      GITLAB_CI: 'true',
      CI_API_V4_URL: this.url,
      CI_PROJECT_ID: '5',
      CI_MERGE_REQUEST_IID: '12',
      GITLAB_TOKEN: 'token',
    };
  }

  stop(): void {
    this.#server.close();
  }

  #answer({ method = '', url = '', headers }: IncomingMessage, response: ServerResponse, text: string): void {
    const { pathname, searchParams } = new URL(url, 'http://x');
    this.requests.push(`${method} ${url}`);
    this.tokens.push(String(headers.authorization ?? headers['private-token']));
    if (pathname === '/graphql') return answerWith(response, { data: { viewer: this.account.user } });
    const code = method === 'GET' ? undefined : this.refusal?.(method);
    if (code !== undefined) return answerWith(response, { message: this.refusalText }, code);
    if (pathname.endsWith('/user')) return answerWith(response, this.account.author);
    if (method === 'GET') {
      const from = (Number(searchParams.get('page')) - 1) * 100;
      return answerWith(response, this.comments.slice(from, from + 100));
    }
    const { body } = JSON.parse(text) as { body: string };
    const old = this.comments.find(({ id }) => pathname.endsWith(`/${id}`));
    if (old) old.body = body;
    else this.comments.push({ id: this.comments.length + 1, body, ...this.account });
    return answerWith(response, {});
  }
}
