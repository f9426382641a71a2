import { useState } from 'preact/hooks';
import type { SnapshotRecord } from '../../../../shared/model/api-records.ts';
import { thumbnailAddress } from '../api/snapshots.ts';
import { faviconAddress, hasPicture, hostOf } from './snapshot-view.ts';

/** The page from its top, else its icon, else the first letter of its host. Decoration: the title beside it says it. */
export function Thumbnail({ snapshot }: { snapshot: SnapshotRecord }) {
  const [broken, setBroken] = useState<ReadonlySet<string>>(new Set());
  const markBroken = (address: string) => setBroken(new Set([...broken, address]));
  const usable = (address: string | undefined) => (address !== undefined && !broken.has(address) ? address : undefined);
  const picture = usable(hasPicture(snapshot.archiveresults) ? thumbnailAddress(snapshot.id) : undefined);
  const icon = usable(faviconAddress(snapshot.archiveresults));
  return (
    <span class="thumbnail" aria-hidden="true">
      {picture !== undefined ? (
        <img
          class="thumbnail-picture"
          src={picture}
          alt=""
          loading="lazy"
          decoding="async"
          onError={() => markBroken(picture)}
        />
      ) : icon !== undefined ? (
        <img class="thumbnail-icon" src={icon} alt="" loading="lazy" onError={() => markBroken(icon)} />
      ) : (
        <span class="thumbnail-letter">{[...hostOf(snapshot.url)][0]?.toUpperCase() ?? '·'}</span>
      )}
    </span>
  );
}
