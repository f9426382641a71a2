/** Lifecycle and result words (DESIGN section 4). Lower-case strings everywhere, never numbers. */
export const lifecycleStatuses = ['queued', 'started', 'paused', 'sealed'] as const;
export type LifecycleStatus = (typeof lifecycleStatuses)[number];

export const resultStatuses = ['started', 'succeeded', 'failed', 'skipped', 'noresults'] as const;
export type ResultStatus = (typeof resultStatuses)[number];
export const finalResultStatuses: readonly ResultStatus[] = ['succeeded', 'failed', 'skipped', 'noresults'];

export const permissions = ['public', 'unlisted', 'private'] as const;
export type Permission = (typeof permissions)[number];

export const snapshotSources = ['browser', 'companion', 'import'] as const;
export type SnapshotSource = (typeof snapshotSources)[number];

/** Where the bytes of an ArchiveResult come from. */
export const resultOrigins = ['browser', 'derived', 'fetched'] as const;
export type ResultOrigin = (typeof resultOrigins)[number];

/** Who gave a title: the user's beats the browser's, which beats a hook's. */
export const titleOrigins = ['hook', 'browser', 'user'] as const;
export type TitleOrigin = (typeof titleOrigins)[number];

/** The witnesses our extension announces, by the plugin that holds each (DESIGN section 5). */
export const witnessPlugins = {
  dom: 'chrome_extension_singlefile',
  mhtml: 'chrome_extension_mhtml',
  screenshot: 'chrome_extension_screenshot',
  facts: 'chrome_extension_facts',
  /** A tab that shows a file, not a page (a PDF): the file's own bytes. */
  file: 'staticfile',
} as const;
export type WitnessKind = keyof typeof witnessPlugins;
export const witnessFiles: Record<WitnessKind, string> = {
  dom: 'singlefile.html',
  mhtml: 'snapshot.mhtml',
  screenshot: 'screenshot.png',
  facts: 'facts.json',
  file: 'document.pdf',
};
export const uploadHookName = 'on_Snapshot__archivebox_browser_extension_upload';
