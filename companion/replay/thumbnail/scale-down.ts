/** Pixels in rows from the top, four bytes each: red, green, blue, opacity. */
export interface Picture {
  width: number;
  height: number;
  data: Uint8Array;
}

/** A smaller picture without transparency: each pixel is the mean of those it covers, on white. */
export function scaleDown(source: Picture, width: number, height: number): Picture {
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y += 1) {
    const top = Math.floor((y * source.height) / height);
    const bottom = Math.max(top + 1, Math.floor(((y + 1) * source.height) / height));
    for (let x = 0; x < width; x += 1) {
      const left = Math.floor((x * source.width) / width);
      const right = Math.max(left + 1, Math.floor(((x + 1) * source.width) / width));
      writeMean(source, { left, right, top, bottom }, data, (y * width + x) * 4);
    }
  }
  return { width, height, data };
}

interface Area {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

function writeMean(source: Picture, area: Area, target: Uint8Array, at: number): void {
  let red = 0;
  let green = 0;
  let blue = 0;
  for (let y = area.top; y < area.bottom; y += 1) {
    for (let from = (y * source.width + area.left) * 4; from < (y * source.width + area.right) * 4; from += 4) {
      const opacity = source.data[from + 3]! / 255;
      red += 255 + (source.data[from]! - 255) * opacity;
      green += 255 + (source.data[from + 1]! - 255) * opacity;
      blue += 255 + (source.data[from + 2]! - 255) * opacity;
    }
  }
  const count = (area.right - area.left) * (area.bottom - area.top);
  target[at] = Math.round(red / count);
  target[at + 1] = Math.round(green / count);
  target[at + 2] = Math.round(blue / count);
  target[at + 3] = 255;
}
