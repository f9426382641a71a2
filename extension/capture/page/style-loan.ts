interface Taken {
  element: HTMLElement | SVGElement;
  property: string;
  value: string;
  priority: string;
}

/** Inline styles changed for a moment and put back exactly, newest first. */
export class StyleLoan {
  readonly #taken: Taken[] = [];

  set(element: HTMLElement | SVGElement, property: string, value: string): void {
    const { style } = element;
    this.#taken.push({
      element,
      property,
      value: style.getPropertyValue(property),
      priority: style.getPropertyPriority(property),
    });
    style.setProperty(property, value, 'important');
  }

  giveBack(): void {
    for (let taken = this.#taken.pop(); taken; taken = this.#taken.pop()) {
      const { element, property, value, priority } = taken;
      if (value === '') element.style.removeProperty(property);
      else element.style.setProperty(property, value, priority);
      // An attribute that was not there must not stay behind empty.
      if (element.getAttribute('style') === '') element.removeAttribute('style');
    }
  }
}
