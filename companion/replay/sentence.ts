/** An answer that is one sentence for a person; browsers never keep it. */
export function sentence(status: number, text: string, headers: Headers): Response {
  headers.set('Content-Type', 'text/plain; charset=utf-8');
  headers.set('Cache-Control', 'no-store');
  return new Response(`${text}\n`, { status, headers });
}
