import { describe, expect, it } from 'vitest';
import { lifecycleStatuses } from '../../shared/model/states.ts';
import { dueAfter, lifecycleEvents, statesAllowing, transition, type LifecycleKind } from './transitions.ts';

const kinds: LifecycleKind[] = ['crawl', 'snapshot'];

describe.each(kinds)('transitions of a %s', (kind) => {
  it('follows queued, started, sealed', () => {
    expect(transition(kind, 'queued', 'start').status).toBe('started');
    expect(transition(kind, 'started', 'seal').status).toBe('sealed');
  });

  it('pauses what is open and resumes it as queued and due', () => {
    expect(transition(kind, 'started', 'pause')).toEqual({ status: 'paused', due: 'none' });
    expect(transition(kind, 'paused', 'resume')).toEqual({ status: 'queued', due: 'now' });
  });

  it('cancels every open state', () => {
    for (const status of ['queued', 'started', 'paused'] as const) {
      expect(transition(kind, status, 'cancel').status).toBe('sealed');
    }
  });

  it('never leads out of sealed', () => {
    for (const event of lifecycleEvents) {
      expect(() => transition(kind, 'sealed', event)).toThrow(/A sealed (crawl|snapshot) cannot be/);
    }
  });

  it('refuses by name what no table holds', () => {
    for (const status of lifecycleStatuses) {
      for (const event of lifecycleEvents) {
        if (statesAllowing(kind, event).includes(status)) continue;
        expect(() => transition(kind, status, event)).toThrow(expect.objectContaining({ code: 'illegal_transition' }));
      }
    }
  });
});

it('says when work is wanted after a transition', () => {
  expect(dueAfter('now', 1000, 60)).toBe(1000);
  expect(dueAfter('lease', 1000, 60)).toBe(1060);
  expect(dueAfter('none', 1000, 60)).toBeNull();
});
