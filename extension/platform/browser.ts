import browser from 'webextension-polyfill';
import type { Menus, Runtime, Tabs } from 'webextension-polyfill';

/** The only door to the extension APIs (promises in both browsers). */
export { browser };
export type { Menus, Runtime, Tabs };
