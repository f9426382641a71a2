/** Tags that end SVG or MathML inside HTML (HTML standard, "any other start tag" of foreign content). */
const breakouts = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
);
/** Elements inside which HTML goes on. */
const integration = {
  svg: new Set(['foreignobject', 'desc', 'title']),
  math: new Set(['mi', 'mo', 'mn', 'ms', 'mtext', 'annotation-xml']),
};
/** Deeper nesting is not followed; no page has it, and the work per tag stays small. */
const DEPTH_MAX = 200;

type Namespace = 'html' | 'svg' | 'math';

interface Island {
  name: string;
  namespace: Namespace;
}

/**
 * Follows where SVG and MathML begin and end inside HTML, because `<style>`, `<title>` and CDATA sections are read
 * differently there. Only the elements that change the answer are remembered.
 */
export class ForeignContent {
  private readonly islands: Island[] = [];

  get isForeign(): boolean {
    return this.namespace !== 'html';
  }

  open(name: string, selfClosing: boolean): void {
    if (this.isForeign && breakouts.has(name)) this.breakOut();
    if (selfClosing || this.islands.length >= DEPTH_MAX) return;
    const { namespace } = this;
    // An `svg` inside MathML is an element of MathML.
    if (name === 'svg' || name === 'math')
      this.islands.push({ name, namespace: namespace === 'html' ? name : namespace });
    else if (namespace !== 'html' && integration[namespace].has(name)) this.islands.push({ name, namespace: 'html' });
  }

  close(name: string): void {
    if (this.isForeign && (name === 'p' || name === 'br')) this.breakOut();
    const at = this.islands.findLastIndex((island) => island.name === name);
    if (at >= 0) this.islands.length = at;
  }

  private get namespace(): Namespace {
    return this.islands.at(-1)?.namespace ?? 'html';
  }

  private breakOut(): void {
    while (this.isForeign) this.islands.pop();
  }
}
