import type { PageAnswer } from '#lib/foresight/page/live/trial.ts';

const problem = (message: string): { readonly problem: { readonly message: string } } => ({ problem: { message } });

/** Sends a request to the server of the page. A failure is a problem in the answer. */
export const askServer = async <T extends object>(name: string, body: object): Promise<PageAnswer<T>> => {
  const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  let response: Response;
  try {
    response = await fetch(name, options);
  } catch {
    return problem('There is no connection to dev; if dev has ended, start it again, and open its new address');
  }
  if (response.ok) return (await response.json()) as PageAnswer<T>;
  return problem((await response.text()).trim());
};
