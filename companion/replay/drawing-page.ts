const documentDestinations = new Set(['document', 'iframe', 'frame', 'object', 'embed']);
const itself = 'image';

/**
 * SVG opened as a document could frame and link to strangers; as a picture it can do neither. So a tab or frame gets a
 * page that shows it, and only what loads pictures gets the drawing. Browsers that do not say what they load are told
 * apart by the address in that page.
 */
export function wantsDrawingItself(request: Request): boolean {
  const destination = request.headers.get('Sec-Fetch-Dest');
  if (destination !== null) return !documentDestinations.has(destination);
  return new URL(request.url).searchParams.has(itself);
}

export function pageOfDrawing(request: Request): string {
  const { searchParams } = new URL(request.url);
  searchParams.set(itself, '1');
  const address = `?${searchParams.toString().replaceAll('&', '&amp;')}`;
  return `<!doctype html><meta charset="utf-8"><title>Drawing</title>
<style>body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: #fff } img { max-width: 100% }</style>
<img alt="" src="${address}">
`;
}
