import { SliceJobs } from '../../capture/slice-jobs.ts';
import { CompanionClient } from '../../companion-client/companion-client.ts';
import { announceStateChange } from '../../messaging/changes.ts';
import type { CaptureRecord } from '../../outbox/capture-record.ts';
import { openOutboxStore } from '../../outbox/outbox-store.ts';
import { Outbox } from '../../outbox/outbox.ts';
import { browser } from '../../platform/browser.ts';
import { notify } from '../../platform/features.ts';
import { changeSettings, readSettings } from '../../settings/settings.ts';
import { Connection } from './connection.ts';
import { Keeper } from './keeper.ts';
import { showBadge } from './badge.ts';
import { scheduleWake } from './wake.ts';

/** Everything the background works with, made once for each life of the service worker. */
export interface Doors {
  outbox: Outbox;
  client: CompanionClient;
  connection: Connection;
  keeper: Keeper;
  jobs: SliceJobs;
}

export async function openDoors(): Promise<Doors> {
  const client = new CompanionClient({
    readPeer: async () => {
      const { companionAddress, pairing } = await readSettings();
      return { address: companionAddress, pairing };
    },
    extensionVersion: browser.runtime.getManifest().version,
    onRevoked: async (pairingId) => {
      const { pairing } = await readSettings();
      if (pairing?.pairingId === pairingId) await changeSettings({ pairing: { ...pairing, revoked: true } });
    },
  });
  const connection = new Connection(client, announceStateChange);
  const jobs = new SliceJobs();
  const store = await openOutboxStore();
  const outbox: Outbox = new Outbox({
    store,
    client,
    onChange: () => {
      announceStateChange();
      void showBadge(outbox);
      void scheduleWake(outbox);
    },
    onTrouble: (record, sentence) => void tellTrouble(record, sentence),
  });
  return { outbox, client, connection, jobs, keeper: new Keeper(outbox, jobs) };
}

/** Success is silent; what needs the person is told even when no page of ours is open. */
async function tellTrouble(record: CaptureRecord, sentence: string): Promise<void> {
  await notify(`capture-${record.id}`, record.title || record.url, sentence);
}
