/** The parts of single-file-core we call; the package brings no types. */
declare module 'single-file-core/single-file-bootstrap.js' {
  export const helper: unknown;
  export const processors: unknown;
}

declare module 'single-file-core/single-file.js' {
  export interface SingleFileResponse {
    status: number;
    url?: string;
    headers: { get(name: string): string | null };
    arrayBuffer(): Promise<ArrayBuffer>;
  }
  export type SingleFileFetch = (
    url: string,
    options: { referrer?: string; headers?: Record<string, string> },
  ) => Promise<SingleFileResponse>;
  export interface SingleFileOptions {
    [option: string]: unknown;
    /** Filled while the page is processed: what each frame answered. */
    frames?: { windowId: string; url?: string; content?: string }[];
  }
  export function getPageData(
    options: SingleFileOptions,
    init: { fetch: SingleFileFetch; frameFetch: SingleFileFetch },
  ): Promise<{ content: string; title: string }>;
}
