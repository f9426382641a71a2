import type { Page } from 'puppeteer-core';
import type { SerializedAXNode } from 'puppeteer-core';

const controlRoles = new Set([
  'button',
  'link',
  'textbox',
  'searchbox',
  'checkbox',
  'combobox',
  'radio',
  'slider',
  'tab',
  'switch',
  'menuitem',
]);

/** Controls that a screen reader could only call "button" or "link", each as its role and place in the tree. */
export async function namelessControls(page: Page): Promise<string[]> {
  const root = await page.accessibility.snapshot({ interestingOnly: false });
  const found: string[] = [];
  const visit = (node: SerializedAXNode, path: string): void => {
    const place = `${path} > ${node.role}`;
    if (controlRoles.has(node.role) && (node.name ?? '').trim() === '') found.push(place);
    for (const child of node.children ?? []) visit(child, place);
  };
  if (root) visit(root, '');
  return found;
}

/** How many of each landmark and first heading the page has, and how far it is wider than its window, in pixels. */
export function pageShape(page: Page): Promise<{ main: number; h1: number; language: string; overflow: number }> {
  return page.evaluate(() => ({
    main: document.querySelectorAll('main').length,
    h1: document.querySelectorAll('h1').length,
    language: document.documentElement.lang,
    overflow: Math.max(0, document.documentElement.scrollWidth - innerWidth),
  }));
}

/** Texts whose colour stands out from what lies behind them by less than WCAG asks, with the ratio. */
export function weakTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const channels = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = (color: string): number => {
      const [red, green, blue] = channels(color)
        .slice(0, 3)
        .map((value) => value / 255)
        .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)) as [
        number,
        number,
        number,
      ];
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const behind = (element: Element): string => {
      for (let at: Element | null = element; at; at = at.parentElement) {
        const color = getComputedStyle(at).backgroundColor;
        if ((channels(color)[3] ?? 1) === 1) return color;
      }
      return 'rgb(255, 255, 255)';
    };
    const weak: string[] = [];
    for (const element of document.body.querySelectorAll<HTMLElement>('*')) {
      const text = [...element.childNodes]
        .filter((node) => node.nodeType === Node.TEXT_NODE)
        .map((node) => node.nodeValue);
      if (text.join('').trim() === '' || !element.checkVisibility() || element.matches(':disabled')) continue;
      const style = getComputedStyle(element);
      const [light, dark] = [luminance(style.color), luminance(behind(element))].toSorted((a, b) => b - a) as [
        number,
        number,
      ];
      const ratio = (light + 0.05) / (dark + 0.05);
      const size = Number.parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 600);
      if (ratio < (large ? 3 : 4.5)) weak.push(`${ratio.toFixed(2)} "${text.join('').trim().slice(0, 40)}"`);
    }
    return weak;
  });
}

/** Resolves when the page shows the text; fails naming it after `ms`. */
export async function waitForText(page: Page, text: string, ms = 10_000): Promise<void> {
  await page
    .waitForFunction((wanted) => document.body.innerText.includes(wanted), { timeout: ms }, text)
    .catch(async (cause: unknown) => {
      const shown = await page.evaluate(() => document.body.innerText.slice(0, 2000));
      throw new Error(`the page never showed "${text}" but:\n${shown}`, { cause });
    });
}
