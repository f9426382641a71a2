import { expect, test } from 'vitest';
import type {
  CaptureAction,
  CapturePhase,
  CaptureView,
  ConnectionKind,
  PopupState,
  WitnessView,
} from '../messaging/view-model.ts';
import {
  hostOf,
  otherActions,
  pageName,
  parseTags,
  primaryAction,
  progressOf,
  witnessPhrase,
} from './capture-words.ts';

function capture(phase: CapturePhase, actions: CaptureAction[] = [], more: Partial<CaptureView> = {}): CaptureView {
  return {
    id: 'c',
    url: 'https://a.example/',
    title: 'A',
    titleOrigin: 'browser',
    tags: [],
    note: '',
    at: 0,
    phase,
    uploaded: 0,
    planned: 0,
    bytes: 0,
    bytesSent: 0,
    sentence: '',
    missing: [],
    witnesses: [],
    actions,
    ...more,
  };
}

function popup(current: CaptureView | null, kind: ConnectionKind = 'connected', keepable = true): PopupState {
  return {
    connection: { kind, sentence: '' },
    tab: { id: 1, url: 'https://a.example/', title: 'A', keepable },
    current,
    versions: [],
    recent: [],
    outbox: { count: 0, bytes: 0 },
    permissions: { full: true, sentence: '' },
  };
}

test.each<[string, PopupState, ReturnType<typeof primaryAction>]>([
  ['a page not kept yet', popup(null), 'keep'],
  ['a page that cannot be kept', popup(null, 'connected', false), undefined],
  ['while witnesses are taken', popup(capture('capturing', ['cancel', 'edit'])), undefined],
  ['while bytes travel', popup(capture('uploading', ['discard', 'edit'])), undefined],
  ['kept on disk', popup(capture('kept_on_disk', ['open', 'keep_again', 'edit'])), 'open'],
  ['kept on disk, library unknown', popup(capture('kept_on_disk', ['keep_again', 'edit'])), 'keep_again'],
  ['waiting for the companion', popup(capture('kept_in_browser', ['retry', 'discard']), 'not_running'), 'retry'],
  ['waiting for a pairing', popup(capture('kept_in_browser', ['retry', 'discard']), 'unpaired'), 'pair'],
  ['waiting with a revoked token', popup(capture('kept_in_browser', ['retry', 'discard']), 'revoked'), 'pair'],
  ['deleted on the companion', popup(capture('needs_you', ['send_as_new', 'discard'])), 'send_as_new'],
  ['failed', popup(capture('failed', ['keep_again', 'discard'])), 'keep_again'],
])('the next sensible act, %s', (_, state, action) => {
  expect(primaryAction(state)).toBe(action);
});

test('what is not primary stays reachable', () => {
  expect(otherActions(capture('kept_on_disk', ['open', 'keep_again', 'edit']), 'open')).toEqual(['keep_again']);
  expect(otherActions(capture('kept_in_browser', ['retry', 'discard', 'edit', 'keep_again']), 'pair')).toEqual([
    'keep_again',
    'discard',
  ]);
});

test('progress is told only where a total is known', () => {
  const witness = (state: WitnessView['state']): WitnessView => ({
    kind: 'dom',
    label: 'Page',
    state,
    bytes: 1,
    note: '',
  });
  expect(
    progressOf(capture('capturing', [], { witnesses: [witness('kept'), witness('failed'), witness('planned')] })),
  ).toEqual({
    done: 2,
    total: 3,
    text: '2 of 3 taken',
  });
  expect(progressOf(capture('uploading', [], { bytes: 4_000_000, bytesSent: 1_000_000 }))?.text).toBe(
    '1.0 MB of 4.0 MB sent',
  );
  expect(progressOf(capture('uploading', [], { bytes: 10, bytesSent: 12 }))?.done).toBe(10);
  expect(progressOf(capture('kept_on_disk', [], { bytes: 10 }))).toBeUndefined();
});

test('a witness says where it is, or why it is nowhere', () => {
  const witness = { kind: 'mhtml', label: 'Web archive', bytes: 2_000_000 } as const;
  expect(witnessPhrase({ ...witness, state: 'uploaded', note: '' })).toBe('kept on disk, 2.0 MB');
  expect(witnessPhrase({ ...witness, state: 'failed', note: 'permission missing.' })).toBe(
    'not kept: permission missing.',
  );
  expect(witnessPhrase({ ...witness, state: 'failed', note: '' })).toBe('not kept');
});

test('names, hosts and tags', () => {
  expect(pageName({ title: ' ', url: 'https://www.a.example/x' })).toBe('a.example/x');
  expect(hostOf('https://www.a.example:81/x')).toBe('a.example:81');
  expect(hostOf('about:blank')).toBe('about:blank');
  expect(parseTags(' kelp, Sea  weed ,,KELP، لغة')).toEqual(['kelp', 'Sea weed', 'لغة']);
});
