import { useState } from 'preact/hooks';

interface Props {
  older: { src: string; when: string };
  newer: { src: string; when: string };
}

/** Two pictures of one address over each other; the slider moves the border between them. */
export function PictureSlider({ older, newer }: Props) {
  const [border, setBorder] = useState(50);
  return (
    <div class="slider">
      <label class="slider-line">
        <span>Older to the left of the border, newer to the right</span>
        <input
          type="range"
          min={0}
          max={100}
          value={border}
          aria-valuetext={`${border} % older`}
          onInput={(event) => setBorder(event.currentTarget.valueAsNumber)}
        />
      </label>
      <div class="slider-pictures" style={{ '--border': `${border}%` }}>
        <img src={newer.src} alt={`Picture of ${newer.when}`} />
        <img class="slider-older" src={older.src} alt={`Picture of ${older.when}`} />
      </div>
    </div>
  );
}
