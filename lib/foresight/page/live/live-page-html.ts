import { pageDocument, pagePolicy, policyText } from '../page-document.ts';
import client from './live-client.json' with { type: 'json' };

/** Options for {@link livePage}. */
export interface LivePageOptions {
  readonly title: string;
  /** Whether the page has buttons that write. */
  readonly mayWrite: boolean;
}

/** A page that a server delivers, and its content security policy. */
export interface LivePage {
  readonly html: string;
  readonly policy: string;
}

/**
 * Makes the page of a live cluster. Its script reads the history from the address `events` of the same server, so the policy
 * permits connections to this server, and to no other.
 */
export const livePage = ({ title, mayWrite }: LivePageOptions): LivePage => ({
  policy: policyText([...pagePolicy(client), "connect-src 'self'", "frame-ancestors 'none'"]),
  html: pageDocument({
    client,
    verb: 'dev',
    title,
    header: '',
    main: `<main id="page" data-write="${String(mayWrite)}">\n<noscript><p>This page needs JavaScript. Without it, use cdk8s-reconcile tree --watch.</p></noscript>\n</main>`,
  }),
});
