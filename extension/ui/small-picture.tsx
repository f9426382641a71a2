import { hostOf } from './capture-words.ts';

/** The page from its top, else the first letter of its host. Decoration: the words beside it say it. */
export function SmallPicture({ picture, url }: { picture: string | undefined; url: string }) {
  return (
    <span class="small-picture" aria-hidden="true">
      {picture ? <img src={picture} alt="" /> : <span>{[...hostOf(url)][0]?.toUpperCase() ?? '·'}</span>}
    </span>
  );
}
