import { expect, test } from 'vitest';
import { failureFromRefusal, parseRetryAfter } from './companion-failure.ts';

const refusal = (status: number, code: string, retryAfter: string | null = null) =>
  failureFromRefusal({ status, code, detail: 'The page is too large.', retryAfter }, 0);

test.each([
  [401, 'unauthenticated', 'revoked'],
  [401, 'revoked', 'revoked'],
  [401, 'wrong_code', 'wrong_code'],
  [429, 'too_many_attempts', 'wrong_code'],
  [410, 'deleted', 'deleted'],
  [409, 'gap', 'gap'],
  [409, 'content_differs', 'content_differs'],
  [422, 'digest_mismatch', 'digest_mismatch'],
  [507, 'disk_full', 'disk_full'],
  [503, 'busy', 'busy'],
  [500, 'internal', 'busy'],
  [413, 'too_large', 'refused'],
  [400, 'invalid_url', 'refused'],
  [403, 'forbidden', 'refused'],
  [599, 'something_new', 'busy'],
  [418, 'something_new', 'refused'],
])('%d %s is understood as "%s"', (status, code, kind) => {
  expect(refusal(status, code).kind).toBe(kind);
});

test.each(['revoked', 'deleted', 'disk_full', 'internal', 'too_large'])(
  'a person who reads about "%s" learns that the page is still here',
  (code) => {
    expect(refusal(code === 'too_large' ? 413 : code === 'internal' ? 500 : 400, code).message).toMatch(
      /safe in this browser|still here|still in this browser/,
    );
  },
);

test('the companion says how long to wait, in seconds or as a date', () => {
  expect(refusal(503, 'busy', '7').retryAfterMs).toBe(7_000);
  expect(parseRetryAfter('Thu, 01 Jan 1970 00:01:00 GMT', 30_000)).toBe(30_000);
  expect(parseRetryAfter('soon', 0)).toBeUndefined();
  expect(parseRetryAfter(null, 0)).toBeUndefined();
});
