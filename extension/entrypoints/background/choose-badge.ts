import { bytesOf } from '../../outbox/capture-record.ts';
import type { CaptureRecord } from '../../outbox/capture-record.ts';

const GREEN = '#1f5c4a';
const AMBER = '#8a5a00';

export interface Badge {
  text: string;
  color: string;
  title: string;
}

/** What needs the person first, then what is happening, then what waits. */
export function chooseBadge(records: CaptureRecord[], progressOf: (id: string) => number | undefined): Badge {
  const capturing = records.filter((record) => record.stage === 'capturing');
  if (capturing.length > 0) return { text: '…', color: GREEN, title: 'Keeping this page' };
  const sending = records.find((record) => progressOf(record.id) !== undefined && record.stage === 'waiting');
  if (sending) {
    const percent = Math.floor((100 * (progressOf(sending.id) ?? 0)) / Math.max(1, bytesOf(sending)));
    return { text: `${percent}%`, color: GREEN, title: `Sending to Holdfast: ${percent} %` };
  }
  const stuck = records.filter((record) => record.stage === 'deleted_there' || record.stage === 'refused');
  if (stuck.length > 0) return { text: '!', color: AMBER, title: 'A kept page needs your decision' };
  const waiting = records.filter((record) => record.stage === 'waiting').length;
  if (waiting > 0) return { text: String(waiting), color: AMBER, title: `Waiting to be sent to Holdfast: ${waiting}` };
  return { text: '', color: GREEN, title: 'Keep this page' };
}
